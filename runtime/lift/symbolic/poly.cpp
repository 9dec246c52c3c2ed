#include "runtime/lift/symbolic/poly.h"

#include <algorithm>

namespace ws::lift {
namespace {

std::int64_t wrapped(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::int64_t add_wrapped(std::int64_t a, std::int64_t b) {
  return wrapped(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t times_wrapped(std::int64_t a, std::int64_t b) {
  return wrapped(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

bool divides(std::int64_t divisor, const Lanes& lanes) {
  return std::all_of(lanes.begin(), lanes.end(),
                     [&](std::int64_t value) { return value % divisor == 0; });
}

bool is_negative(const Lanes& lanes) {
  return std::any_of(lanes.begin(), lanes.end(), [](std::int64_t value) { return value < 0; });
}

bool is_zero(const Lanes& lanes) {
  return lanes.size() == 1 && lanes.front() == 0;
}

/// `whole` without the factors of `part`; nothing when it lacks one.
std::optional<Monomial> without(Monomial whole, const Monomial& part) {
  for (const SymbolId symbol : part) {
    const auto at = std::find(whole.begin(), whole.end(), symbol);
    if (at == whole.end()) {
      return std::nullopt;
    }
    whole.erase(at);
  }
  return whole;
}

}  // namespace

Poly::Poly(const Lanes& lanes) {
  add({}, zip_lanes(lanes, {0}, add_wrapped));
}

Poly Poly::of(SymbolId symbol) {
  Poly poly;
  poly.add({symbol}, {1});
  return poly;
}

void Poly::add(const Monomial& monomial, const Lanes& lanes) {
  const auto [entry, fresh] = terms_.try_emplace(monomial, lanes);
  if (!fresh) {
    entry->second = zip_lanes(entry->second, lanes, add_wrapped);
  }
  if (is_zero(entry->second)) {
    terms_.erase(entry);
  }
}

bool Poly::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty());
}

Lanes Poly::constant() const {
  const auto at = terms_.find(Monomial());
  return at == terms_.end() ? Lanes{0} : at->second;
}

std::optional<std::int64_t> Poly::number() const {
  const Lanes lanes = constant();
  return is_constant() && lanes.size() == 1 ? std::optional(lanes.front()) : std::nullopt;
}

bool Poly::is_uniform() const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [](const auto& term) { return term.second.size() == 1; });
}

Poly Poly::at(std::size_t lane) const {
  Poly poly;
  for (const auto& [monomial, lanes] : terms_) {
    poly.add(monomial, {lane_of(lanes, lane)});
  }
  return poly;
}

Poly Poly::gathered(const std::vector<std::size_t>& from) const {
  Poly poly;
  for (const auto& [monomial, lanes] : terms_) {
    Lanes taken(from.size());
    for (std::size_t lane = 0; lane < from.size(); ++lane) {
      taken[lane] = lane_of(lanes, from[lane]);
    }
    poly.add(monomial, zip_lanes(taken, {0}, add_wrapped));
  }
  return poly;
}

Poly Poly::symbolic() const {
  Poly poly = *this;
  poly.terms_.erase(Monomial());
  return poly;
}

Poly Poly::plus(const Poly& other, std::int64_t factor) const {
  Poly poly = *this;
  for (const auto& [monomial, lanes] : other.terms_) {
    poly.add(monomial, zip_lanes(lanes, {factor}, times_wrapped));
  }
  return poly;
}

Poly Poly::times(const Poly& other) const {
  Poly poly;
  for (const auto& [left, a] : terms_) {
    for (const auto& [right, b] : other.terms_) {
      Monomial product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      poly.add(product, zip_lanes(a, b, times_wrapped));
    }
  }
  return poly;
}

std::optional<Poly> Poly::divided(std::int64_t divisor) const {
  Poly poly;
  for (const auto& [monomial, lanes] : terms_) {
    if (divisor <= 0 || is_negative(lanes) || (!monomial.empty() && !divides(divisor, lanes))) {
      return std::nullopt;
    }
    poly.add(monomial,
             zip_lanes(lanes, {divisor}, [](std::int64_t a, std::int64_t b) { return a / b; }));
  }
  return poly;
}

std::optional<Poly> Poly::exact_quotient(std::int64_t divisor) const {
  Poly made;
  for (const auto& [monomial, lanes] : terms_) {
    made.add(monomial,
             zip_lanes(lanes, {divisor}, [](std::int64_t a, std::int64_t b) { return a / b; }));
  }
  return made.times(Poly(divisor)) == *this ? std::optional(made) : std::nullopt;
}

std::optional<Poly> Poly::modulo(std::int64_t divisor) const {
  const std::optional<Poly> quotient = divided(divisor);
  return quotient ? std::optional(plus(*quotient, -divisor)) : std::nullopt;
}

std::pair<Poly, Poly> Poly::split(const Monomial& divisor, std::int64_t factor) const {
  std::pair<Poly, Poly> parts;
  for (const auto& [monomial, lanes] : terms_) {
    const std::optional<Monomial> rest = without(monomial, divisor);
    if (!rest || factor <= 0) {
      parts.second.add(monomial, lanes);
      continue;
    }
    // Takes as many multiples as possible from the part without symbols; a symbol's coefficient
    // goes in whole or not at all.
    const bool whole = !rest->empty() && !divides(factor, lanes);
    const auto quotient = [&](std::int64_t a, std::int64_t b) {
      const std::int64_t down = a / b - (a % b < 0 ? 1 : 0);
      return whole ? 0 : down;
    };
    const Lanes upper = zip_lanes(lanes, {factor}, quotient);
    parts.first.add(*rest, upper);
    parts.second.add(monomial, zip_lanes(lanes, upper, [&](std::int64_t a, std::int64_t b) {
                       return a - b * factor;
                     }));
  }
  return parts;
}

bool Poly::mentions(SymbolId symbol) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) {
    return std::find(term.first.begin(), term.first.end(), symbol) != term.first.end();
  });
}

}  // namespace ws::lift
