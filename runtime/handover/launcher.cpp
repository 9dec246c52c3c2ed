#include "runtime/handover/launcher.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/handover/cpp_expression.h"
#include "runtime/handover/launch_text.h"
#include "runtime/kernel/plan/placeholders.h"

namespace ws {
namespace {

constexpr std::array kKeywords = {
    "and",      "asm",     "auto",    "bool",     "break",  "case",    "catch",   "char",
    "class",    "const",   "default", "delete",   "do",     "double",  "else",    "enum",
    "export",   "extern",  "false",   "float",    "for",    "friend",  "goto",    "if",
    "inline",   "int",     "long",    "new",      "not",    "or",      "private", "public",
    "register", "return",  "short",   "signed",   "sizeof", "static",  "struct",  "switch",
    "template", "this",    "throw",   "true",     "try",    "typedef", "union",   "unsigned",
    "using",    "virtual", "void",    "volatile", "while",  "xor"};

std::string range_words(const DimSpec& dim) {
  std::string words = std::to_string(dim.min) + " to " + std::to_string(dim.max);
  return dim.multiple_of > 1 ? words + ", in steps of " + std::to_string(dim.multiple_of) : words;
}

/// The check of one dim against its range, or against the listed values.
std::string dim_check(const DimSpec& dim) {
  const std::string value = "numbers." + cpp_word(dim.name);
  std::string condition;
  std::string words;
  if (dim.open) {
    condition = value + " >= " + std::to_string(dim.min) + " && " + value +
                " <= " + std::to_string(dim.max) + " && " + value + " % " +
                std::to_string(dim.multiple_of) + " == 0";
    words = range_words(dim);
  }
  for (std::size_t i = 0; !dim.open && i < dim.values.size(); ++i) {
    const std::string listed = std::to_string(dim.values[i]);
    condition += (i == 0 ? "" : " || ") + value + " == " + listed;
    words += (i == 0 ? "" : ", ") + listed;
  }
  return "  handover::require(" + condition + ",\n                    " +
         cpp_literal(dim.name + " is ") + " + std::to_string(" + value + ") + " +
         cpp_literal(", and this kernel was checked for " + words) + ");\n";
}

Result<std::string> condition_checks(const std::vector<std::string>& conditions,
                                     const CppNames& names) {
  std::string text;
  for (const std::string& condition : conditions) {
    WS_TRY(const std::string cpp, cpp_expression(condition, names));
    text += "  handover::require(" + cpp + " != 0,\n                    " +
            cpp_literal("this kernel needs " + condition) + ");\n";
  }
  return text;
}

}  // namespace

std::string cpp_type(DType type) {
  switch (type) {
    case DType::kF64:
      return "double";
    case DType::kF32:
    case DType::kTf32:
    case DType::kF16:
    case DType::kBf16:
    case DType::kF8e4m3:
    case DType::kF8e5m2:
      return "float";
    case DType::kBool:
      return "bool";
    default:
      break;
  }
  const std::string name(name_of(type));
  return std::string("std::") + (name.front() == 'u' ? "u" : "") + "int" + name.substr(1) + "_t";
}

std::string cpp_word(const std::string& name) {
  const bool taken = std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
  return taken ? name + "_" : name;
}

std::string cpp_literal(const std::string& text) {
  constexpr const char* kDigits = "01234567";
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      literal += '\\';
      literal += c;
    } else if (byte < 0x20 || byte >= 0x7f || c == '?') {
      literal += '\\';  // Octal, as three digits end it; and no trigraphs.
      literal += kDigits[byte >> 6U];
      literal += kDigits[(byte >> 3U) & 7U];
      literal += kDigits[byte & 7U];
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

std::string launcher_declaration(const Problem& problem) {
  std::string fields;
  std::string parameters;
  for (const DimSpec& dim : problem.dims) {
    fields += "  std::int64_t " + cpp_word(dim.name) + ";\n";
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      fields += "  " + cpp_type(arg.type) + " " + cpp_word(arg.name) + ";\n";
    } else {
      parameters += launch_parameter(arg) + ", ";
    }
  }
  return "// The sizes and numbers of one call.\nstruct Numbers {\n" + fields +
         "};\n\n// Throws std::invalid_argument where the kernel was not checked for the sizes.\n"
         "void check(const Numbers& numbers);\n\n"
         "// Pointers are to the device. Throws as check(), and std::runtime_error for CUDA's own "
         "errors.\nvoid launch(const Numbers& numbers, " +
         parameters + "cudaStream_t stream);\n";
}

Result<std::string> launcher_definition(const Problem& problem, const Kernel& kernel,
                                        const Params& params) {
  LaunchText text(problem, kernel, params);
  std::string checks;
  for (const DimSpec& dim : problem.dims) {
    checks += dim_check(dim);
  }
  WS_TRY(const std::string valid, condition_checks(problem.valid, text.names()));
  WS_TRY(const std::string constraints, condition_checks(kernel.constraints, text.names()));
  WS_TRY(const std::string body, text.body());
  std::string parameters;
  for (const ArgSpec& arg : problem.args) {
    parameters += arg.role == Role::kScalar ? "" : launch_parameter(arg) + ", ";
  }
  return "void check([[maybe_unused]] const Numbers& numbers) {\n" + checks + valid + constraints +
         "}\n\nvoid launch(const Numbers& numbers, " + parameters +
         "cudaStream_t stream) {\n  check(numbers);\n" + body + "}\n";
}

}  // namespace ws
