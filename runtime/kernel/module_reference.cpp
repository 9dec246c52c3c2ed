#include "runtime/kernel/module_reference.h"

#include <algorithm>
#include <array>

namespace ws {

bool has_module(const Problem& problem) {
  constexpr std::array kFunctions = {"\ndef make_module(", "\ndef load_module(",
                                     "\ndef call_module("};
  return problem.reference_kind == "python" &&
         std::ranges::all_of(kFunctions, [&problem](const char* function) {
           return problem.reference_source.find(function) != std::string::npos;
         });
}

}  // namespace ws
