// The Python code of a definition, `run(inputs...)` with tensors of PyTorch, and that of a problem,
// `reference(inputs, dims)` with arrays of NumPy: each as the other.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The source with a function `reference` that calls its `run`. Where PyTorch is used, float
/// tensors are f64 if the code takes that, else of their own types.
std::string with_reference(const std::string& source, const nlohmann::ordered_json& definition);

/// The source with a function `run`; what with_reference() added is taken off instead.
/// @errors kUnsupported: the problem's reference is no Python code.
Result<std::string> with_run(const Problem& problem);

}  // namespace ws
