// Unsigned numbers in a symbolic run. Polynomials are integers without bounds, so a difference of
// unsigned numbers may be less than zero there, and is 2^32 more on a GPU. Sums, differences and
// products come out the same; orders, quotients, minima and conversions to a float do not.
#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/lift/symbolic/arithmetic.h"

namespace ws::lift {
namespace {

/// The number where a symbol is 0 or 1.
Poly with_truth(const Poly& number, SymbolId truth, std::int64_t value) {
  Poly made;
  for (const auto& [monomial, factors] : number.terms()) {
    Poly product(factors);
    for (const SymbolId symbol : monomial) {
      product = product.times(symbol == truth ? Poly(value) : Poly::of(symbol));
    }
    made = made.plus(product);
  }
  return made;
}

}  // namespace

/// The number in the last block of each axis that it is less in.
Poly Arithmetic::in_last_block(const Poly& number) const {
  Poly made;
  for (const auto& [monomial, factors] : number.terms()) {
    Poly product(factors);
    const bool below =
        std::ranges::all_of(factors, [](std::int64_t factor) { return factor <= 0; });
    for (const SymbolId symbol : monomial) {
      const std::string_view text = symbols_.text(symbol);
      const std::string_view axis = below && text.starts_with("blockIdx.") ? text.substr(9) : "";
      if (axis.size() != 1) {
        product = product.times(Poly::of(symbol));
        continue;
      }
      const std::string& blocks = input_.grid.at(static_cast<std::size_t>(axis[0] - 'x'));
      const bool fixed = blocks.size() < 10 && std::ranges::all_of(blocks, is_digit);
      const Poly count = fixed ? Poly(std::stoll(blocks))
                               : Poly::of(symbols_.intern("gridDim." + std::string(axis)));
      product = product.times(count.plus(Poly(-1)));
    }
    made = made.plus(product);
  }
  return made;
}

bool Arithmetic::may_be_negative(const Poly& number) const {
  for (const auto& [monomial, factors] : number.terms()) {
    for (const SymbolId symbol : monomial) {
      const auto rest = divisions_.find(symbol);
      const bool parity =
          rest != divisions_.end() && rest->second.remainder && rest->second.right.number() == 2;
      if (parity || symbols_.text(symbol).starts_with("int(")) {  // A choice: as_number().
        return may_be_negative(with_truth(number, symbol, 0)) ||
               may_be_negative(with_truth(number, symbol, 1));
      }
    }
  }
  bool negative = false;
  bool of_size = false;
  const Poly least = in_last_block(number);
  for (const auto& [monomial, factors] : least.terms()) {
    const bool below =
        std::any_of(factors.begin(), factors.end(), [](std::int64_t factor) { return factor < 0; });
    negative = negative || below;
    of_size = of_size || (!below && monomial.size() == 1 && is_argument(monomial.front()));
  }
  return negative && !of_size;
}

bool Arithmetic::may_have_wrapped(TermId id, DType type) const {
  const Term& term = terms_.at(id);
  // No index is that many times another number: a kernel that multiplies by so much wants the low
  // bits.
  constexpr std::int64_t kLarge = std::int64_t{1} << 24U;
  const bool scrambled =
      type == DType::kU32 && std::ranges::any_of(term.poly.terms(), [&](const auto& one) {
        return !one.first.empty() && std::ranges::any_of(one.second, [&](std::int64_t factor) {
          return factor >= kLarge || factor <= -kLarge;
        });
      });
  return term.kind == TermKind::kInteger && (scrambled || may_be_negative(term.poly));
}

bool Arithmetic::is_argument(SymbolId symbol) const {
  return std::any_of(input_.args.begin(), input_.args.end(), [symbol](const Argument& argument) {
    return argument.integer.terms().contains(Monomial{symbol});
  });
}

bool Arithmetic::is_wide_unsigned(DType type) {
  return type == DType::kU32 || type == DType::kU64;
}

Status Arithmetic::check_unsigned(TermOp op, TermId left, TermId right, DType type) const {
  constexpr std::array<TermOp, 6> kAlike = {ir::Operator::kAdd,      ir::Operator::kSubtract,
                                            ir::Operator::kMultiply, ir::Operator::kShiftLeft,
                                            ir::Operator::kEqual,    ir::Operator::kNotEqual};
  const bool same = std::ranges::find(kAlike, op) != kAlike.end();
  if (!is_wide_unsigned(type) || same ||
      (!may_have_wrapped(left, type) && !may_have_wrapped(right, type))) {
    return {};
  }
  return fail(ErrorCode::kUnsupported,
              "`" + std::string(op.text()) + "` of an unsigned number that may have wrapped");
}

Result<TermId> Arithmetic::as_unsigned(TermId id, DType type, DType as) {
  const Term& term = terms_.at(id);
  if (!is_wide_unsigned(type) || !may_have_wrapped(id, type)) {
    return id;
  }
  if (type != DType::kU32 || !term.poly.is_constant()) {
    return fail(ErrorCode::kUnsupported, "an unsigned number that may have wrapped becomes a " +
                                             std::string(is_float(as) ? "float" : "larger one"));
  }
  constexpr std::int64_t kValues = std::int64_t{1} << 32U;
  const Lanes lanes = zip_lanes(term.poly.constant(), {0}, [](std::int64_t value, std::int64_t) {
    return value < 0 ? value + kValues : value;
  });
  return terms_.integer(Poly(lanes), type);
}

Result<TermId> Arithmetic::compare_unsigned(TermOp op, TermId left, TermId right, DType type) {
  for (TermId* const side : {&left, &right}) {
    if (terms_.at(*side).poly.is_constant()) {
      WS_TRY(*side, as_unsigned(*side, type, type));
    }
  }
  const bool first = may_have_wrapped(left, type);
  const bool second = may_have_wrapped(right, type);
  const TermId plain = compare(op, left, right);
  if (!first && !second) {
    return plain;
  }
  const bool scrambled = (first && !may_be_negative(terms_.at(left).poly)) ||
                         (second && !may_be_negative(terms_.at(right).poly));
  if (scrambled || (first && second)) {
    return fail(ErrorCode::kUnsupported,
                "`" + std::string(op.text()) +
                    (scrambled ? "` of an unsigned number that may have wrapped"
                               : "` of two unsigned numbers that may have wrapped"));
  }
  // One that has wrapped is more than any that has not.
  const bool less = !is_turned(op);
  const TermId zero = terms_.integer(Poly(0));
  const bool true_then = second == less;
  return joined(compare(true_then ? ir::Operator::kLess : ir::Operator::kGreaterEqual,
                        second ? right : left, zero),
                plain, !true_then);
}

}  // namespace ws::lift
