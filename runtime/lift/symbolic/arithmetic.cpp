// Arithmetic of a symbolic run: integers as polynomials where they are, else as terms.
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {
namespace {

/// The limit for a product of integers; one with more is a value like any other.
constexpr std::size_t kMaxMonomials = 256;

struct Flip {
  std::string_view op;
  std::string_view negated;
};

constexpr std::array<Flip, 6> kComparisons = {{
    {"<", ">="},
    {"<=", ">"},
    {">", "<="},
    {">=", "<"},
    {"==", "!="},
    {"!=", "=="},
}};

bool holds(const std::string& op, std::int64_t difference) {
  return op == "<"    ? difference < 0
         : op == "<=" ? difference <= 0
         : op == ">"  ? difference > 0
         : op == ">=" ? difference >= 0
         : op == "==" ? difference == 0
                      : difference != 0;
}

std::int64_t bits_of(const std::string& op, std::int64_t a, std::int64_t b) {
  const auto left = static_cast<std::uint64_t>(a);
  const auto right = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(op == "&"   ? left & right
                                   : op == "|" ? left | right
                                               : left ^ right);
}

bool is_comparison(std::string_view op) {
  return std::any_of(kComparisons.begin(), kComparisons.end(),
                     [&](const Flip& row) { return row.op == op; });
}

}  // namespace

std::optional<Poly> Block::integer_result(const std::string& op, const Poly& left,
                                          const Poly& right) {
  if (op == "+" || op == "-") {
    return left.plus(right, op == "+" ? 1 : -1);
  }
  if (op == "*") {
    if (left.terms().size() * right.terms().size() > kMaxMonomials) {
      return std::nullopt;
    }
    return left.times(right);
  }
  const std::optional<std::int64_t> number = right.number();
  constexpr std::int64_t kMostBits = 62;
  const bool shift = (op == "<<" || op == ">>") && number && *number >= 0 && *number <= kMostBits;
  const std::int64_t factor = shift ? std::int64_t{1} << *number : 0;
  if (shift && op == "<<") {
    return left.times(Poly(factor));
  }
  if (shift) {
    return left.divided(factor);
  }
  if (number && (op == "/" || op == "%")) {
    return op == "/" ? left.divided(*number) : left.modulo(*number);
  }
  const bool mask = op == "&" && number && *number > 0 &&
                    std::has_single_bit(static_cast<std::uint64_t>(*number) + 1);
  if (mask) {
    if (std::optional<Poly> rest = left.modulo(*number + 1)) {
      return rest;
    }
  }
  if ((op == "&" || op == "|" || op == "^") && left.is_constant() && right.is_constant()) {
    return Poly(zip_lanes(left.constant(), right.constant(),
                          [&](std::int64_t a, std::int64_t b) { return bits_of(op, a, b); }));
  }
  const bool extreme = op == "minimum" || op == "maximum";
  if (extreme && left.plus(right, -1).is_constant()) {
    // Thread by thread one or the other: the factor of each is 0 or 1.
    const Lanes first = zip_lanes(
        left.plus(right, -1).constant(), {0},
        [&](std::int64_t a, std::int64_t b) { return std::int64_t{(op == "minimum") == (a < b)}; });
    const Lanes second =
        zip_lanes(first, {1}, [](std::int64_t a, std::int64_t b) { return b - a; });
    return left.times(Poly(first)).plus(right.times(Poly(second)));
  }
  return std::nullopt;
}

Result<TermId> Block::arithmetic(const std::string& op, TermId left, TermId right, DType type) {
  if (is_comparison(op)) {
    return compare(op, left, right);
  }
  WS_CHECK(check_unsigned(op, left, right, type));
  const Term& a = terms_.at(left);
  const Term& b = terms_.at(right);
  const bool integers = a.kind == TermKind::kInteger && b.kind == TermKind::kInteger;
  if (integers && !is_float(type)) {
    if (std::optional<Poly> poly = integer_result(op, a.poly, b.poly)) {
      return terms_.integer(*std::move(poly), type);
    }
  }
  if (integers && !is_float(type)) {
    if (const std::optional<TermId> made = unknown_integer(op, a.poly, b.poly, type)) {
      return *made;
    }
  }
  if (is_float(type) || op == "+" || op == "-" || op == "*" || op == "minimum" || op == "maximum") {
    return terms_.operation(op, type, {left, right});
  }
  // C rounds towards zero, CuIR down: the same for the indices that a kernel divides.
  if (integers && (op == "/" || op == "%")) {
    return terms_.operation(op == "/" ? "//" : "%", type, {left, right});
  }
  return fail(ErrorCode::kUnsupported, "`" + op + "` of integers that depend on data");
}

TermId Block::compare(const std::string& op, TermId left, TermId right) {
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

TermId Block::joined(TermId left, TermId right, bool both) {
  Term made;
  made.kind = TermKind::kOperation;
  made.type = DType::kBool;
  made.op = both ? "and" : "or";
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

TermId Block::negated(TermId condition) {
  const Term term = terms_.at(condition);
  if (term.kind == TermKind::kInteger && term.poly.is_constant()) {
    return terms_.integer(Poly(zip_lanes(term.poly.constant(), {0},
                                         [](auto a, auto b) { return std::int64_t{a == b}; })),
                          DType::kBool);
  }
  const auto* const flip = std::find_if(kComparisons.begin(), kComparisons.end(),
                                        [&](const Flip& row) { return row.op == term.op; });
  if (term.kind == TermKind::kOperation && flip != kComparisons.end()) {
    return compare(std::string(flip->negated), term.args[0], term.args[1]);
  }
  if (term.kind == TermKind::kOperation && (term.op == "and" || term.op == "or")) {
    const TermId left = negated(term.args[0]);
    return terms_.operation(term.op == "and" ? "or" : "and", DType::kBool,
                            {left, negated(term.args[1])});
  }
  return terms_.operation("not", DType::kBool, {condition});
}

TermId Block::converted(TermId id, DType type) {
  const Term& term = terms_.at(id);
  if (term.type == type) {
    return id;
  }
  if (term.kind == TermKind::kNumber && type != DType::kF16 && type != DType::kBf16 &&
      is_float(type)) {
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
    return compare("!=", id, terms_.integer(Poly(0)));
  }
  return terms_.operation("to", type, {id});
}

std::optional<Lanes> Block::truth_of(TermId condition) const {
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
