// An additional interface of a tool whose answer waits for nothing.
#pragma once

#include <optional>
#include <string>

#include "tools/tool.h"

namespace ws {

class AnswersAtOnce {
 public:
  virtual ~AnswersAtOnce() = default;

  /// Nothing: the next call may wait for a device, a job or a process. Else it waits for nothing,
  /// whatever its arguments, and may be made on the thread that reads requests; and an answer to
  /// the same arguments that has this version is the answer now. Any thread.
  ///
  /// @param arguments  An object that nobody has checked.
  [[nodiscard]] virtual std::optional<std::string> version_now(const Json& arguments) = 0;

  /// @param answer  Of a call that went well.
  [[nodiscard]] virtual std::string version_of(const Json& answer) const = 0;
};

}  // namespace ws
