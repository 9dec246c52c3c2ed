// Runs CuIR programs on small tensors and compares with plain loops.
#pragma once

#include <string>
#include <vector>

#include "runtime/ir/exec/run.h"

namespace ws::ir {

/// The text of a file of this repository.
std::string repository_file(const std::string& path);

/// Elements in [-1, 1), the same on every run; different for each name.
Tensor random_tensor(const std::string& name, DType dtype, Shape shape);
Tensor output(const std::string& name, DType dtype, Shape shape);

/// Parses and runs; a failure comes back as a report with one finding whose message is the error.
RunReport run_text(const std::string& text, const std::vector<Tensor>& tensors,
                   const RunOptions& options = {}, const std::vector<Scalar>& scalars = {});

/// Largest |a - b| / max(1, |b|); infinite when the sizes differ or something is not a number.
double distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ws::ir
