#include "runtime/kernel/form/options.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

enum class Operand : std::uint8_t { kNone, kBool, kStandard, kRegisters, kMacro };

struct OptionRow {
  std::string_view text;  // The whole option, or what stands before its operand.
  Operand operand;
};

// The only list. None of these reads or writes a file, or changes what the kernel computes other
// than through rounding and its own macros.
constexpr OptionRow kOptions[] = {
    {"--use_fast_math", Operand::kNone},
    {"-use_fast_math", Operand::kNone},
    {"--fmad=", Operand::kBool},
    {"-fmad=", Operand::kBool},
    {"--ftz=", Operand::kBool},
    {"--prec-div=", Operand::kBool},
    {"--prec-sqrt=", Operand::kBool},
    {"-std=", Operand::kStandard},
    {"--std=", Operand::kStandard},
    {"-D", Operand::kMacro},
    {"--define-macro=", Operand::kMacro},
    {"--maxrregcount=", Operand::kRegisters},
    {"-maxrregcount=", Operand::kRegisters},
    {"-lineinfo", Operand::kNone},
    {"--generate-line-info", Operand::kNone},
    {"-O0", Operand::kNone},
    {"-O1", Operand::kNone},
    {"-O2", Operand::kNone},
    {"-O3", Operand::kNone},
};

constexpr const char* kAllowed =
    "allowed: --use_fast_math, --fmad=true|false, --ftz=true|false, --prec-div=true|false, "
    "--prec-sqrt=true|false, -std=c++14|c++17|c++20, -DNAME[=VALUE], --maxrregcount=N, -lineinfo, "
    "-O0 to -O3";

bool is_macro(std::string_view text) {
  constexpr std::size_t kMaxLength = 256;
  const std::string_view name = text.substr(0, text.find('='));
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return plain && text.size() <= kMaxLength && is_identifier(name);
}

bool is_register_count(std::string_view text) {
  constexpr std::size_t kMaxDigits = 3;
  return !text.empty() && text.size() <= kMaxDigits && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool fits(Operand operand, std::string_view text) {
  switch (operand) {
    case Operand::kNone:
      return text.empty();
    case Operand::kBool:
      return text == "true" || text == "false";
    case Operand::kStandard:
      return text == "c++14" || text == "c++17" || text == "c++20";
    case Operand::kRegisters:
      return is_register_count(text);
    case Operand::kMacro:
      return is_macro(text);
  }
  return false;
}

}  // namespace

Status check_option(const std::string& option) {
  const std::string_view text = option;
  for (const OptionRow& row : kOptions) {
    if (text.substr(0, row.text.size()) == row.text &&
        fits(row.operand, text.substr(row.text.size()))) {
      return {};
    }
  }
  return fail(ErrorCode::kInvalidArgument, "option `" + option + "` is not allowed", kAllowed);
}

Status check_header_name(const std::string& name) {
  constexpr std::size_t kMaxLength = 128;
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+/-";
  if (name.empty() || name.size() > kMaxLength ||
      name.find_first_not_of(kLetters) != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "header name `" + name + "` is not allowed",
                "use letters, digits and _ . + - /, at most 128");
  }
  if (name.front() == '/' || name.find("..") != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "header name `" + name + "` is not allowed",
                "name it as it is included, relative and without `..`");
  }
  return {};
}

}  // namespace ws
