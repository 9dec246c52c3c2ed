#include "runtime/handover/compared.h"

#include "runtime/kernel/module_reference.h"

namespace ws {

Compared compared_with(const Problem& problem) {
  if (problem.reference != nullptr) {
    return Compared::kKernel;
  }
  if (problem.reference_kind != "python") {
    return Compared::kNothing;
  }
  return has_module(problem) ? Compared::kModule : Compared::kFunction;
}

}  // namespace ws
