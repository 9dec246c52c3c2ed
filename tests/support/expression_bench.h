// Values of CUDA expressions on the CPU engine, for tests of its device headers.
#pragma once

#include <span>
#include <string>

namespace ws::test {

struct ExpressionValue {
  const char* expression;  ///< Over `one`, an int that is 1 and that the compiler does not know.
  double want;
};

/// Runs one kernel that computes all expressions as doubles, after `before` (#include lines and
/// declarations), and checks each value exactly.
void check_expressions(const std::string& before, std::span<const ExpressionValue> values);

}  // namespace ws::test
