// How the arguments of a problem reach the PyTorch module that it was made of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/problem.h"

namespace ws {

struct ModuleArguments {
  std::vector<std::string> inputs;             ///< By place in the call; empty: it is no tensor.
  std::map<std::string, std::string> weights;  ///< Name in the module, "conv.weight" -> argument.
};

/// Nothing: the reference is none that an import of a module writes, or a weight's name has quotes.
/// @source REFERENCE of runtime/worker/python_problem.py, whose lines are read.
std::optional<ModuleArguments> module_arguments(const Problem& problem);

}  // namespace ws
