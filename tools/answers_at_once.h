// An additional interface of a tool whose answer waits for nothing.
#pragma once

#include <memory>

#include "tools/tool.h"

namespace ws {

class AnswersAtOnce {
 public:
  virtual ~AnswersAtOnce() = default;

  /// The answer as it is now, if it waits for no device, job or process. The same object again as
  /// long as nothing in it changes. Null: the tool has to be called. Any thread.
  ///
  /// @param arguments  An object that nobody has checked.
  [[nodiscard]] virtual std::shared_ptr<const Json> answer_now(const Json& arguments) = 0;
};

}  // namespace ws
