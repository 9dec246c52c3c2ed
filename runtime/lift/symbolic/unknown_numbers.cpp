// Integers of a symbolic run that are no polynomials: each becomes one more symbol.
#include <algorithm>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/lift/symbolic/arithmetic.h"

namespace ws::lift {

/// Whether nothing is in it but sizes, indices of the block and numbers: no variable of a loop.
bool Arithmetic::is_of_launch(const Poly& poly) const {
  const auto is_known = [](std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && (is_word(text[end]) || text[end] == '.')) {
        ++end;
      }
      const std::string_view word = text.substr(at, end - at);
      const bool known = word.empty() || is_digit(word[0]) || word.starts_with("self.") ||
                         word.starts_with("blockIdx.") || word.starts_with("gridDim.") ||
                         word == "min" || word == "max";
      if (!known) {
        return false;
      }
      at = std::max(end, at + 1);
    }
    return true;
  };
  return poly.is_uniform() && std::ranges::all_of(poly.terms(), [&](const auto& term) {
           return std::ranges::all_of(
               term.first, [&](SymbolId symbol) { return is_known(symbols_.text(symbol)); });
         });
}

/// A quotient or remainder, or the smaller or larger of two numbers, that is no polynomial is one
/// more symbol where it is the same for all threads. As for all indices, what is divided is not
/// negative.
std::optional<TermId> Arithmetic::unknown_integer(TermOp op, const Poly& left, const Poly& right,
                                                  DType type) {
  const bool divides = op == ir::Operator::kDivide || op == ir::Operator::kModulo;
  const bool extreme = op == ir::Op::kMinimum || op == ir::Op::kMaximum;
  const bool fixed = is_of_launch(left) && is_of_launch(right);
  const bool same = left.is_uniform() && right.is_uniform();
  if (!(divides && (fixed || (in_part_ && same))) && !(extreme && fixed)) {
    return std::nullopt;
  }
  const std::string text =
      extreme ? std::string(op == ir::Op::kMinimum ? "min(" : "max(") + symbols_.text_of(left) +
                    ", " + symbols_.text_of(right) + ")"
              : "((" + symbols_.text_of(left) + ") " + (op == ir::Operator::kDivide ? "//" : "%") +
                    " (" + symbols_.text_of(right) + "))";
  return terms_.integer(Poly::of(symbols_.intern(text)), type);
}

}  // namespace ws::lift
