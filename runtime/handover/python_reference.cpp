#include "runtime/handover/python_reference.h"

#include <string_view>

#include "runtime/handover/embedded.h"
#include "runtime/handover/torch_words.h"
#include "runtime/handover/words.h"

namespace ws {
namespace {

/// The type of NumPy that the reference gets: the judge gives it the same.
std::string_view array_type(DType type) {
  const bool short_float = type == DType::kBf16 || type == DType::kF8e4m3 || type == DType::kF8e5m2;
  return torch_type(short_float ? DType::kF32 : type);
}

std::string_view number_type(DType type) {
  return type == DType::kBool ? "bool" : is_float(type) ? "float" : "int";
}

}  // namespace

std::string python_reference_name(const std::string& module) {
  return module + "_reference.py";
}

std::string python_reference_text(const Handover& handover) {
  std::string types;
  for (const ArgSpec& arg : handover.problem.args) {
    if (arg.role != Role::kOut) {
      types += "    " + python_string(arg.name) + ": " +
               (arg.role == Role::kScalar ? std::string(number_type(arg.type))
                                          : python_string(array_type(arg.type))) +
               ",\n";
    }
  }
  return comment_line("# ", "The reference of " + handover.problem.id + ", which the program of " +
                                handover.kernel.id + " calls.") +
         std::string(handover_python_reference()) +
         "\n\nhandover_source = " + python_text(handover.problem.reference_source) +
         "\n\nhandover_main(handover_source, {\n" + types + "})\n";
}

}  // namespace ws
