// Quotients and remainders of numbers whose residue is known: which of two buffers a round uses.
#include <algorithm>
#include <bit>

#include "runtime/lift/symbolic/arithmetic.h"

namespace ws::lift {

void Arithmetic::assume_of(const Poly& number, int period, int residue) {
  const Poly symbols = number.symbolic();
  const std::optional<std::int64_t> rest = number.plus(symbols, -1).number();
  const bool single = symbols.terms().size() == 1 && symbols.terms().begin()->first.size() == 1 &&
                      symbols.terms().begin()->second == Lanes{1};
  if (single && rest) {
    const std::int64_t own = (residue - *rest % period + period) % period;
    assume(symbols.terms().begin()->first.front(), period, static_cast<int>(own));
  }
}

namespace {

/// The same number modulo `divisor`, with a constant that is not below zero: 2 * q - 1 as 2 * q
/// + 1.
Poly raised(const Poly& number, std::int64_t divisor) {
  return number.symbolic().plus(
      Poly(zip_lanes(number.constant(), {divisor},
                     [](std::int64_t a, std::int64_t b) { return (a % b + b) % b; })));
}

/// Whether an operation asks for a remainder alone, and by what.
std::optional<std::int64_t> divisor_of(TermOp op, const Poly& right) {
  const std::int64_t number = right.number().value_or(0);
  if (op == ir::Operator::kModulo && number > 0) {
    return number;
  }
  const bool mask = op == ir::Operator::kBitAnd && number > 0 &&
                    std::has_single_bit(static_cast<std::uint64_t>(number) + 1);
  return mask ? std::optional(number + 1) : std::nullopt;
}

}  // namespace

/// Each symbol of a known residue as `period * other + residue`, where the other ones cancel out.
std::optional<Poly> Arithmetic::by_residues(TermOp op, const Poly& left, const Poly& right) {
  Poly known;
  std::vector<SymbolId> others;
  for (const auto& [monomial, lanes] : left.terms()) {
    Poly product(lanes);
    for (const SymbolId symbol : monomial) {
      const auto found = residues_.find(symbol);
      if (found == residues_.end()) {
        product = product.times(Poly::of(symbol));
        continue;
      }
      others.push_back(symbols_.intern("quotient of " + symbols_.text(symbol)));
      product = product.times(Poly::of(others.back())
                                  .times(Poly(found->second.first))
                                  .plus(Poly(found->second.second)));
    }
    known = known.plus(product);
  }
  if (const std::optional<std::int64_t> divisor = divisor_of(op, right)) {
    known = raised(known, *divisor);
  }
  const std::optional<Poly> made = others.empty() ? std::nullopt : integer_result(op, known, right);
  const bool plain =
      made && std::ranges::none_of(others, [&](SymbolId other) { return made->mentions(other); });
  return plain ? made : std::nullopt;
}

}  // namespace ws::lift
