// The launches of a plan as C++ statements.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/handover/cpp_expression.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// "const void* arg_x": an argument that is a buffer, as launch() takes it.
std::string launch_parameter(const ArgSpec& arg);

/// The number of elements from the first to the last that a buffer uses.
/// @errors As cpp_expression().
Result<std::string> span_text(const ArgSpec& arg, const CppNames& names);

class LaunchText {
 public:
  /// All live longer.
  LaunchText(const Problem& problem, const Kernel& kernel, const Params& params);

  /// Dims and scalars are fields of `numbers`, parameters are their values.
  [[nodiscard]] const CppNames& names() const { return names_; }

  /// Scratch memory, symbols, tensor maps and launches. @errors As launcher_definition().
  Result<std::string> body();

 private:
  Result<std::string> scratch();
  Result<std::string> symbols();
  Result<std::string> tensor_map(const TensorMapSpec& map);
  Result<std::string> launches();
  Result<std::string> launch(const LaunchSpec& spec, const std::string& indent);
  Result<std::string> argument(const LaunchArgSpec& arg);
  Result<std::string> value(const LaunchArgSpec& arg);
  Result<std::string> buffer(const std::string& name) const;
  Result<std::string> list(const std::vector<std::string>& expressions);

  const Problem& problem_;
  const Kernel& kernel_;
  const Params& params_;
  CppNames names_;
};

}  // namespace ws
