// Host code of C++ that launches kernels, read as a plan: sizes from the shapes of tensors, memory,
// grids and arguments. Nothing runs, and nothing is believed: the kernel that comes out is judged
// as any other. Loops, branches around launches and calls of libraries are refused by their text.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/exchange/cpp_text.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The way in which a function of the host gets a problem's arguments.
struct HostCall {
  std::string function;                ///< Its name.
  std::vector<std::string> arguments;  ///< The problem's, in the order of its parameters.
};

struct HostPlan {
  std::string kernel;              ///< A kernel's form as JSON: source, launches, scratch.
  std::vector<std::string> notes;  ///< Sentences about what the plan leaves out.
};

/// @param text  The whole text: device code and host code.
/// @errors kInvalidArgument: the text is no C++; kUnsupported: what a plan cannot have, and the
///         text of it.
Result<HostPlan> plan_of_host_code(const CppText& text, const HostCall& call,
                                   const Problem& problem);

}  // namespace ws
