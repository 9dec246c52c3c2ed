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
                         word == "min" || word == "max" || word == "int";
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
  const SymbolId symbol = symbols_.intern(text);
  if (divides) {
    divisions_[symbol] = {op == ir::Operator::kModulo, left, right};
  }
  return terms_.integer(Poly::of(symbol), type);
}

const Arithmetic::Division* Arithmetic::division_of(const Poly& poly) const {
  const bool symbol = poly.terms().size() == 1 && poly.terms().begin()->first.size() == 1 &&
                      poly.terms().begin()->second == Lanes{1};
  const auto found =
      symbol ? divisions_.find(poly.terms().begin()->first.front()) : divisions_.end();
  return found == divisions_.end() ? nullptr : &found->second;
}

/// `a % b != 0 ? a / b + 1 : a / b`, which is `(a + b - 1) / b`; nothing: it is another choice.
std::optional<Poly> Arithmetic::rounded_up(const Term& condition, const Poly& yes, const Poly& no) {
  const bool compares = condition.kind == TermKind::kOperation && condition.args.size() == 2 &&
                        condition.op == ir::Operator::kNotEqual &&
                        terms_.at(condition.args[0]).kind == TermKind::kInteger &&
                        terms_.at(condition.args[1]).kind == TermKind::kInteger;
  if (!compares || terms_.at(condition.args[1]).poly.number() != 0 ||
      yes.plus(no, -1).number() != 1) {
    return std::nullopt;
  }
  const Division* const rest = division_of(terms_.at(condition.args[0]).poly);
  const Division* const quotient = division_of(no);
  if (rest == nullptr || quotient == nullptr || !rest->remainder || quotient->remainder ||
      rest->left != quotient->left || rest->right != quotient->right) {
    return std::nullopt;
  }
  const Poly left = quotient->left.plus(quotient->right).plus(Poly(-1));
  const Poly right = quotient->right;
  const std::optional<TermId> made =
      unknown_integer(ir::Operator::kDivide, left, right, DType::kI64);
  return made ? std::optional(terms_.at(*made).poly) : std::nullopt;
}

std::optional<TermId> Arithmetic::chosen(TermId condition, TermId yes, TermId no, DType type) {
  const bool integers =
      terms_.at(yes).kind == TermKind::kInteger && terms_.at(no).kind == TermKind::kInteger;
  if (!integers || is_float(type)) {
    return std::nullopt;
  }
  const Poly first = terms_.at(yes).poly;
  const Poly second = terms_.at(no).poly;
  if (const std::optional<Lanes> truth = truth_of(condition)) {
    const auto at = [&](std::int64_t wanted) {
      return Poly(zip_lanes(*truth, {wanted}, [](std::int64_t a, std::int64_t b) {
        return std::int64_t{(a != 0) == (b != 0)};
      }));
    };
    return terms_.integer(first.times(at(1)).plus(second.times(at(0))), type);
  }
  if (std::optional<Poly> made = rounded_up(terms_.at(condition), first, second)) {
    return terms_.integer(*std::move(made), type);
  }
  if (const std::optional<Poly> truth = as_number(terms_.at(condition))) {
    return terms_.integer(second.plus(first.plus(second, -1).times(*truth)), type);
  }
  return std::nullopt;
}

/// 1 where a comparison of what the whole launch has in common holds, else 0; nothing: it is
/// another condition.
std::optional<Poly> Arithmetic::as_number(const Term& condition) {
  const bool compares = condition.kind == TermKind::kOperation && condition.args.size() == 2 &&
                        negation_of(condition.op) &&
                        terms_.at(condition.args[0]).kind == TermKind::kInteger &&
                        terms_.at(condition.args[1]).kind == TermKind::kInteger;
  if (!compares) {
    return std::nullopt;
  }
  const Poly left = terms_.at(condition.args[0]).poly;
  const Poly right = terms_.at(condition.args[1]).poly;
  if (!is_of_launch(left) || !is_of_launch(right)) {
    return std::nullopt;
  }
  const Division* const rest = division_of(left);
  const bool parity = rest != nullptr && rest->remainder && rest->right.number() == 2 &&
                      condition.op == ir::Operator::kNotEqual && right.number() == 0;
  return parity ? left
                : Poly::of(symbols_.intern("int(" + symbols_.text_of(left) + " " +
                                           std::string(condition.op.text()) + " " +
                                           symbols_.text_of(right) + ")"));
}

}  // namespace ws::lift
