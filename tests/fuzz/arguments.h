// The arguments for programs of a fuzzer: those of the bases of tests/ir.
#pragma once

#include <string>
#include <vector>

#include "runtime/ir/exec/run.h"

namespace ws::ir {

/// The arguments of the base whose names are those of the program's __init__; else some tensors,
/// one for each parameter without a default.
std::vector<Tensor> fuzz_arguments(const Program& program);

}  // namespace ws::ir
