#include "runtime/evaluate/validate/rounding_reference.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/kernel/kernel.h"
#include "runtime/search/tokens.h"

namespace ws {
namespace {

/// Ascending.
constexpr std::array<std::string_view, 44> kRounding = {
    "acos",   "acosh",   "asin",  "asinh",   "atan",    "atan2",  "atanh",  "cbrt",    "cos",
    "cosh",   "cospi",   "erf",   "erfc",    "erfcinv", "erfcx",  "erfinv", "exp",     "exp10",
    "exp2",   "expm1",   "gamma", "gelu",    "hypot",   "lgamma", "log",    "log10",   "log1p",
    "log2",   "normcdf", "pow",   "power",   "rcbrt",   "rhypot", "rsqrt",  "sigmoid", "sin",
    "sincos", "sinh",    "sinpi", "softmax", "sqrt",    "tan",    "tanh",   "tgamma"};

/// The function's name without what says its type or its rounding: `__expf`, `sqrtf`, `__fsqrt_rn`.
bool rounds(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('_'), word.size()));
  word = word.substr(0, word.find("_r"));
  const auto is_known = [](std::string_view name) {
    return std::ranges::binary_search(kRounding, name);
  };
  return is_known(word) || (word.ends_with('f') && is_known(word.substr(0, word.size() - 1))) ||
         ((word.starts_with('f') || word.starts_with('h') || word.starts_with('d')) &&
          is_known(word.substr(1)));
}

}  // namespace

bool reference_rounds(const Problem& problem) {
  const bool divides = problem.reference_kind == "python" || problem.reference_kind == "pytorch";
  const std::string_view source = problem.reference != nullptr
                                      ? std::string_view(problem.reference->source)
                                      : std::string_view(problem.reference_source);
  return std::ranges::any_of(raw_tokens(source), [divides](const RawToken& token) {
    return token.kind == RawToken::Kind::kWord ? rounds(token.text) : divides && token.text == "/";
  });
}

}  // namespace ws
