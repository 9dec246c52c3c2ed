// Arithmetic of a symbolic run: integers as polynomials where they are, else as terms.
#include "runtime/lift/symbolic/arithmetic.h"

#include <algorithm>
#include <bit>

#include "runtime/kernel/round_element.h"

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

/// Computes as C does with numbers that are known for each thread; nothing: an operation that has a
/// form for all numbers, or one without a result.
std::optional<Lanes> known_result(TermOp op, const Lanes& left, const Lanes& right) {
  constexpr std::int64_t kMostBits = 62;
  const bool right_shift = op == ir::Operator::kShiftRight;
  const bool defined = std::ranges::all_of(right, [&](std::int64_t number) {
    return right_shift ? number >= 0 && number <= kMostBits : number != 0;
  });
  if ((!right_shift && !is_division(op)) || !defined) {
    return std::nullopt;
  }
  return zip_lanes(left, right, [&](std::int64_t a, std::int64_t b) {
    return right_shift ? a >> b : op == ir::Operator::kDivide ? a / b : a % b;
  });
}

/// The numbers as ones of `type`. One of 32 bits that is unsigned and below zero stays as it is
/// (unsigned.cpp).
Poly cut(const Poly& number, DType type) {
  return Poly(zip_lanes(number.constant(), {0}, [&](std::int64_t value, std::int64_t) {
    return type == DType::kU32 && value < 0 ? value : low_bits(type, value);
  }));
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
  if (left.is_constant() && right.is_constant()) {
    if (const auto known = known_result(op, left.constant(), right.constant())) {
      return Poly(*known);
    }
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
    if (poly && type == DType::kU32 && poly->is_constant()) {
      poly = cut(*poly, type);
    }
    if (poly) {
      return terms_.integer(*std::move(poly), type);
    }
    if (is_division(op) && may_be_negative(b.poly)) {
      return fail(ErrorCode::kUnsupported,
                  "`" + std::string(op.text()) + "` by a number that may be less than zero");
    }
    if (is_division(op) && may_be_negative(a.poly)) {
      // C rounds towards zero, CuIR down.
      const TermOp down = op == ir::Operator::kDivide ? ir::Operator::kFloorDivide : op;
      Poly opposite = Poly(0).plus(a.poly, -1);  // New terms move `a`.
      const TermId zero = terms_.integer(Poly(0), type);
      const TermId minus = terms_.integer(std::move(opposite), type);
      const TermId of_minus = terms_.operation(down, type, {minus, right});
      const TermId below = terms_.operation(ir::Operator::kSubtract, type, {zero, of_minus});
      const TermId other = terms_.operation(down, type, {left, right});
      return terms_.operation(ir::Op::kWhere, type,
                              {compare(ir::Operator::kLess, left, zero), below, other});
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
  std::map<TermId, TermId> made;
  return negated(condition, made);
}

/// @param made  Negations of terms: one may be part of several others.
TermId Arithmetic::negated(TermId condition, std::map<TermId, TermId>& made) {
  if (const auto known = made.find(condition); known != made.end()) {
    return known->second;
  }
  const Term term = terms_.at(condition);
  if (term.kind == TermKind::kInteger && term.poly.is_constant()) {
    return terms_.integer(Poly(zip_lanes(term.poly.constant(), {0},
                                         [](auto a, auto b) { return std::int64_t{a == b}; })),
                          DType::kBool);
  }
  const bool computed = term.kind == TermKind::kOperation;
  // A NaN is neither less than a number nor not less.
  const bool ordered = computed && is_ordering(term.op) && is_float(terms_.at(term.args[0]).type);
  if (const std::optional<TermOp> opposite = negation_of(term.op);
      computed && opposite && !ordered) {
    return compare(*opposite, term.args[0], term.args[1]);
  }
  if (computed && term.op == ir::Operator::kNot) {
    return term.args[0];
  }
  const bool both = term.op == ir::Operator::kAnd;
  if (computed && (both || term.op == ir::Operator::kOr)) {
    const TermId left = negated(term.args[0], made);
    const TermId right = negated(term.args[1], made);
    return made[condition] = terms_.operation(both ? ir::Operator::kOr : ir::Operator::kAnd,
                                              DType::kBool, {left, right});
  }
  return terms_.operation(ir::Operator::kNot, DType::kBool, {condition});
}

TermId Arithmetic::converted(TermId id, DType type) {
  const Term& term = terms_.at(id);
  if (term.type == type) {
    return id;
  }
  if (term.kind == TermKind::kNumber && is_float(type)) {
    return terms_.number(round_element(type, term.number), type);
  }
  if (term.kind == TermKind::kInteger && is_float(type) && term.poly.number()) {
    return terms_.number(round_element(type, static_cast<double>(*term.poly.number())), type);
  }
  const bool known = term.kind == TermKind::kInteger && !is_float(type) && type != DType::kBool &&
                     term.poly.is_constant();
  if (known) {
    // Numbers that differ from thread to thread keep the rule by which they do.
    Poly low = cut(term.poly, type);
    if (low == term.poly || low.is_uniform()) {
      return terms_.integer(std::move(low), type);
    }
    return terms_.operation(ir::Op::kCast, type, {id});
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
