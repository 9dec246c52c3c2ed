// Quotients and remainders of numbers whose residue is known: which of two buffers a round uses.
#include <algorithm>

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
  const std::optional<Poly> made = others.empty() ? std::nullopt : integer_result(op, known, right);
  const bool plain =
      made && std::ranges::none_of(others, [&](SymbolId other) { return made->mentions(other); });
  return plain ? made : std::nullopt;
}

}  // namespace ws::lift
