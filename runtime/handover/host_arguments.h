// One argument of a launch as C++, by the classes of text/launch.cuh.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// "2", the bytes of an element of f16.
std::string element_bytes(DType type);

/// "std::int32_t" for i32, "double" for f64: a type of the host as large as the element.
std::string_view cpp_type(DType type);

/// Writes the arguments of one kernel, which must outlive it.
class HostArguments {
 public:
  HostArguments(const Problem& problem, const Kernel& kernel)
      : problem_(problem),
        kernel_(kernel) {}

  /// @param path  For messages. @errors kInvalidArgument: an expression.
  [[nodiscard]] Result<std::string> text(const LaunchArgSpec& arg, const std::string& path) const;

  /// The type of a buffer's elements, scratch included.
  [[nodiscard]] DType type_of(const std::string& buffer) const;

 private:
  [[nodiscard]] std::string named_argument(const std::string& name) const;
  [[nodiscard]] Result<std::string> struct_of(const LaunchArgSpec& arg,
                                              const std::string& path) const;

  const Problem& problem_;
  const Kernel& kernel_;
};

}  // namespace ws
