// Unsigned numbers in a symbolic run. Polynomials are integers without bounds, so a difference of
// unsigned numbers may be less than zero there, and is 2^32 more on a GPU. Sums, differences and
// products come out the same; orders, quotients, minima and conversions to a float do not.
#include <algorithm>
#include <array>

#include "runtime/lift/symbolic/arithmetic.h"

namespace ws::lift {
bool Arithmetic::may_have_wrapped(TermId id) const {
  const Term& term = terms_.at(id);
  bool negative = false;
  bool of_size = false;
  for (const auto& [monomial, factors] : term.poly.terms()) {
    const bool below =
        std::any_of(factors.begin(), factors.end(), [](std::int64_t factor) { return factor < 0; });
    negative = negative || below;
    of_size = of_size || (!below && monomial.size() == 1 && is_argument(monomial.front()));
  }
  return term.kind == TermKind::kInteger && negative && !of_size;
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
  if (!is_wide_unsigned(type) || same || (!may_have_wrapped(left) && !may_have_wrapped(right))) {
    return {};
  }
  return fail(ErrorCode::kUnsupported,
              "`" + std::string(op.text()) + "` of an unsigned number that may have wrapped");
}

Result<TermId> Arithmetic::as_unsigned(TermId id, DType type) {
  const Term& term = terms_.at(id);
  if (!is_wide_unsigned(type) || !may_have_wrapped(id)) {
    return id;
  }
  if (type != DType::kU32 || !term.poly.is_constant()) {
    return fail(ErrorCode::kUnsupported,
                "an unsigned number that may have wrapped becomes a float");
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
      WS_TRY(*side, as_unsigned(*side, type));
    }
  }
  const bool first = may_have_wrapped(left);
  const bool second = may_have_wrapped(right);
  const TermId plain = compare(op, left, right);
  if (!first && !second) {
    return plain;
  }
  if (first && second) {
    return fail(ErrorCode::kUnsupported,
                "`" + std::string(op.text()) + "` of two unsigned numbers that may have wrapped");
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
