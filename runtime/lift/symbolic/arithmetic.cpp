// Arithmetic of a symbolic run: integers as polynomials where they are, else as terms.
#include "runtime/lift/symbolic/arithmetic.h"

#include <bit>
#include <cmath>

namespace ws::lift {
namespace {

/// The limit for a product of integers; one with more is a value like any other.
constexpr std::size_t kMaxMonomials = 256;

bool holds(TermOp op, std::int64_t difference) {
  const bool equal = difference == 0;
  if (!is_ordering(op)) {
    return equal == (op == ir::Operator::kEqual);
  }
  return equal ? holds_for_equal(op) : is_turned(op) == (difference > 0);
}

bool is_bitwise(TermOp op) {
  return op == ir::Operator::kBitAnd || op == ir::Operator::kBitOr || op == ir::Operator::kBitXor;
}

std::int64_t bits_of(TermOp op, std::int64_t a, std::int64_t b) {
  const auto left = static_cast<std::uint64_t>(a);
  const auto right = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(op == ir::Operator::kBitAnd  ? left & right
                                   : op == ir::Operator::kBitOr ? left | right
                                                                : left ^ right);
}

bool is_sum(TermOp op) {
  return op == ir::Operator::kAdd || op == ir::Operator::kSubtract;
}

bool is_extreme(TermOp op) {
  return op == ir::Op::kMinimum || op == ir::Op::kMaximum;
}

bool is_division(TermOp op) {
  return op == ir::Operator::kDivide || op == ir::Operator::kModulo;
}

}  // namespace

std::optional<Poly> Arithmetic::integer_result(TermOp op, const Poly& left, const Poly& right) {
  if (is_sum(op)) {
    return left.plus(right, op == ir::Operator::kAdd ? 1 : -1);
  }
  if (op == ir::Operator::kMultiply) {
    if (left.terms().size() * right.terms().size() > kMaxMonomials) {
      return std::nullopt;
    }
    return left.times(right);
  }
  const std::optional<std::int64_t> number = right.number();
  constexpr std::int64_t kMostBits = 62;
  const bool shift = (op == ir::Operator::kShiftLeft || op == ir::Operator::kShiftRight) &&
                     number && *number >= 0 && *number <= kMostBits;
  const std::int64_t factor = shift ? std::int64_t{1} << *number : 0;
  if (shift && op == ir::Operator::kShiftLeft) {
    return left.times(Poly(factor));
  }
  if (shift) {
    return left.divided(factor);
  }
  if (number && is_division(op)) {
    return op == ir::Operator::kDivide ? left.divided(*number) : left.modulo(*number);
  }
  const bool mask = op == ir::Operator::kBitAnd && number && *number > 0 &&
                    std::has_single_bit(static_cast<std::uint64_t>(*number) + 1);
  if (mask) {
    if (std::optional<Poly> rest = left.modulo(*number + 1)) {
      return rest;
    }
  }
  if (is_bitwise(op) && left.is_constant() && right.is_constant()) {
    return Poly(zip_lanes(left.constant(), right.constant(),
                          [&](std::int64_t a, std::int64_t b) { return bits_of(op, a, b); }));
  }
  if (is_extreme(op) && left.plus(right, -1).is_constant()) {
    // Thread by thread one or the other: the factor of each is 0 or 1.
    const bool least = op == ir::Op::kMinimum;
    const Lanes first =
        zip_lanes(left.plus(right, -1).constant(), {0},
                  [&](std::int64_t a, std::int64_t b) { return std::int64_t{least == (a < b)}; });
    const Lanes second =
        zip_lanes(first, {1}, [](std::int64_t a, std::int64_t b) { return b - a; });
    return left.times(Poly(first)).plus(right.times(Poly(second)));
  }
  return std::nullopt;
}

Result<TermId> Arithmetic::result(TermOp op, TermId left, TermId right, DType type) {
  if (negation_of(op)) {
    return compare(op, left, right);
  }
  WS_CHECK(check_unsigned(op, left, right, type));
  const Term& a = terms_.at(left);
  const Term& b = terms_.at(right);
  const bool integers = a.kind == TermKind::kInteger && b.kind == TermKind::kInteger;
  if (integers && !is_float(type)) {
    std::optional<Poly> poly = integer_result(op, a.poly, b.poly);
    poly = poly ? std::move(poly) : by_residues(op, a.poly, b.poly);
    if (poly) {
      return terms_.integer(*std::move(poly), type);
    }
  }
  if (integers && !is_float(type)) {
    if (const std::optional<TermId> made = unknown_integer(op, a.poly, b.poly, type)) {
      return *made;
    }
  }
  if (is_float(type) || is_sum(op) || op == ir::Operator::kMultiply || is_extreme(op)) {
    return terms_.operation(op, type, {left, right});
  }
  // C rounds towards zero, CuIR down: the same for the indices that a kernel divides.
  if (integers && is_division(op)) {
    return terms_.operation(op == ir::Operator::kDivide ? ir::Operator::kFloorDivide : op, type,
                            {left, right});
  }
  return fail(ErrorCode::kUnsupported,
              "`" + std::string(op.text()) + "` of integers that depend on data");
}

TermId Arithmetic::compare(TermOp op, TermId left, TermId right) {
  const Term& a = terms_.at(left);
  const Term& b = terms_.at(right);
  Term made;
  made.kind = TermKind::kOperation;
  made.type = DType::kBool;
  made.op = op;
  made.args = {left, right};
  if (a.kind == TermKind::kInteger && b.kind == TermKind::kInteger) {
    const Poly difference = a.poly.plus(b.poly, -1);
    if (difference.is_constant()) {
      made.known = true;
      made.truth = zip_lanes(difference.constant(), {0}, [&](std::int64_t value, std::int64_t) {
        return std::int64_t{holds(op, value)};
      });
      if (made.truth.size() == 1) {
        return terms_.integer(Poly(made.truth.front()), DType::kBool);
      }
    }
  }
  return terms_.add(std::move(made));
}

TermId Arithmetic::joined(TermId left, TermId right, bool both) {
  Term made;
  made.kind = TermKind::kOperation;
  made.type = DType::kBool;
  made.op = both ? ir::Operator::kAnd : ir::Operator::kOr;
  made.args = {left, right};
  const std::optional<Lanes> truth = truth_of(left);
  const std::optional<Lanes> other = truth_of(right);
  if (truth && other) {
    made.known = true;
    made.truth = zip_lanes(*truth, *other, [&](std::int64_t a, std::int64_t b) {
      return std::int64_t{both ? a != 0 && b != 0 : a != 0 || b != 0};
    });
  }
  return terms_.add(std::move(made));
}

TermId Arithmetic::negated(TermId condition) {
  const Term term = terms_.at(condition);
  if (term.kind == TermKind::kInteger && term.poly.is_constant()) {
    return terms_.integer(Poly(zip_lanes(term.poly.constant(), {0},
                                         [](auto a, auto b) { return std::int64_t{a == b}; })),
                          DType::kBool);
  }
  const bool computed = term.kind == TermKind::kOperation;
  if (const std::optional<TermOp> opposite = negation_of(term.op); computed && opposite) {
    return compare(*opposite, term.args[0], term.args[1]);
  }
  const bool both = term.op == ir::Operator::kAnd;
  if (computed && (both || term.op == ir::Operator::kOr)) {
    const TermId left = negated(term.args[0]);
    return terms_.operation(both ? ir::Operator::kOr : ir::Operator::kAnd, DType::kBool,
                            {left, negated(term.args[1])});
  }
  return terms_.operation(ir::Operator::kNot, DType::kBool, {condition});
}

TermId Arithmetic::converted(TermId id, DType type) {
  const Term& term = terms_.at(id);
  if (term.type == type) {
    return id;
  }
  // Other numbers are rounded to halves where the kernel does it.
  const bool is_half = type == DType::kF16 || type == DType::kBf16;
  const bool is_zero = term.number == 0 && !std::signbit(term.number);
  if (term.kind == TermKind::kNumber && is_float(type) && (!is_half || is_zero)) {
    return terms_.number(
        type == DType::kF32 ? static_cast<double>(static_cast<float>(term.number)) : term.number,
        type);
  }
  if (term.kind == TermKind::kInteger && is_float(type) && term.poly.number()) {
    return terms_.number(static_cast<double>(*term.poly.number()), type);
  }
  constexpr std::size_t kWord = 4;
  const bool wide = !is_float(type) && size_of(type) >= kWord;
  if (wide && !is_float(term.type) && term.kind == TermKind::kInteger) {
    return terms_.integer(term.poly, type);  // Indices do not wrap.
  }
  if (type == DType::kBool) {
    return compare(ir::Operator::kNotEqual, id, terms_.integer(Poly(0)));
  }
  return terms_.operation(ir::Op::kCast, type, {id});
}

std::optional<Lanes> Arithmetic::truth_of(TermId condition) const {
  const Term& term = terms_.at(condition);
  if (term.known) {
    return term.truth;
  }
  if (term.kind == TermKind::kInteger && term.poly.is_constant()) {
    return zip_lanes(term.poly.constant(), {0},
                     [](std::int64_t a, std::int64_t b) { return std::int64_t{a != b}; });
  }
  return std::nullopt;
}

}  // namespace ws::lift
