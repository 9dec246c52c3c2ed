// Calls that change nothing, of tools that change something by others.
#pragma once

#include <nlohmann/json.hpp>

namespace ws {

/// An additional interface of tools whose annotations cannot say that some of their calls change
/// nothing.
class SometimesReads {
 public:
  virtual ~SometimesReads() = default;

  /// Whether a call with these arguments changes nothing. They need not meet the schema. Any
  /// thread.
  [[nodiscard]] virtual bool only_reads(const nlohmann::json& arguments) const = 0;
};

}  // namespace ws
