// The example programs and the attention variants, run in f64 for NumPy to check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ir/exec/run.h"

namespace ws::ir {

/// A program with its arguments, and the formula that numpy_check.py knows it by.
struct NumpyCase {
  std::string name;  ///< One word.
  std::string formula;
  std::string text;
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars = {};
};

std::vector<NumpyCase> numpy_cases();

/// A python3 that imports numpy; nothing when there is none.
std::optional<std::string> numpy_python();

/// The verdict of numpy_check.py on each case, a line each.
struct NumpyVerdict {
  bool good = false;
  std::string lines;
};

/// Runs every case on one schedule, and the check on what came out.
NumpyVerdict check_with_numpy(const std::string& python);

}  // namespace ws::ir
