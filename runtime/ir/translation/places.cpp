#include "runtime/ir/translation/places.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace ws::ir {
namespace {

using Rule = TranslationRule;
using Terms = std::map<Atom, std::int64_t>;

/// The terms of one that the other has not, lanes or all others.
Terms own_terms(const Position& from, const Position& other, bool lanes) {
  Terms terms;
  for (const auto& [atom, coefficient] : from.terms) {
    const auto same = other.terms.find(atom);
    if (is_lane(atom) == lanes && (same == other.terms.end() || same->second != coefficient)) {
      terms[atom] = coefficient;
    }
  }
  return terms;
}

std::multiset<std::int64_t> sizes_of(const Terms& lanes) {
  std::multiset<std::int64_t> sizes;
  for (const auto& [atom, coefficient] : lanes) {
    sizes.insert(lane_size(atom));
  }
  return sizes;
}

bool same_atoms(const Terms& a, const Terms& b) {
  return std::ranges::equal(a, b, {}, &Terms::value_type::first, &Terms::value_type::first);
}

/// Whether it leads from one tile to the next along a dimension.
bool is_tile_step(std::int64_t step, const Position& place) {
  return std::ranges::any_of(place.terms, [step](const auto& term) {
    return is_lane(term.first) && std::abs(term.second) * lane_size(term.first) == std::abs(step);
  });
}

Rule rule_of_shift(std::int64_t shift, const Position& wanted) {
  const auto steps = [&](bool lanes) {
    return std::ranges::any_of(wanted.terms, [&](const auto& term) {
      return is_lane(term.first) == lanes && std::abs(term.second) == std::abs(shift);
    });
  };
  if (steps(/*lanes=*/false) || is_tile_step(shift, wanted)) {
    return shift < 0 ? Rule::kIndexTileBase : Rule::kIndexDoubleShift;
  }
  return steps(/*lanes=*/true) ? Rule::kIndexGatherBase : Rule::kIndexPlace;
}

}  // namespace

std::size_t distance(const Position& a, const Position& b) {
  return own_terms(a, b, false).size() + own_terms(a, b, true).size() +
         own_terms(b, a, false).size() + own_terms(b, a, true).size();
}

Position without_dims(const Position& position) {
  Position flat{position.constant, {}};
  for (const auto& [atom, coefficient] : position.terms) {
    // Lanes of one size along two dimensions stay two: their strides are part of the name.
    const std::string name =
        is_lane(atom) ? atom.name + " by " + std::to_string(coefficient) : atom.name;
    flat.terms[Atom{name, 0}] += is_lane(atom) ? 1 : coefficient;
  }
  return flat;
}

std::optional<TranslationRule> rule_of_place(const Position& place, const Position& wanted,
                                             bool writes) {
  const Terms own = own_terms(place, wanted, false);
  const Terms other = own_terms(wanted, place, false);
  const Terms own_lanes = own_terms(place, wanted, true);
  const Terms other_lanes = own_terms(wanted, place, true);
  if (own.empty() && other.empty() && own_lanes.empty() && other_lanes.empty()) {
    return rule_of_shift(place.constant - wanted.constant, wanted);
  }
  if (!own_lanes.empty() || !other_lanes.empty()) {
    const bool tiles = sizes_of(own_lanes) == sizes_of(other_lanes);
    return tiles ? std::optional(Rule::kOrderShift) : std::nullopt;
  }
  if (same_atoms(own, other)) {
    const std::int64_t step = own.begin()->second;
    const std::int64_t wanted_step = other.begin()->second;
    const bool factor = own.size() == 1 && !is_tile_step(step, wanted) &&
                        (step % wanted_step == 0 || wanted_step % step == 0);
    return factor   ? Rule::kIndexElementAsTile
           : writes ? Rule::kIndexStoreSwapped
                    : Rule::kOrderIndex;
  }
  if (own.size() == 1 && other.size() == 1) {
    const std::string& atom = own.begin()->first.name;
    const std::string& instead = other.begin()->first.name;
    if (atom.starts_with("(") && instead.starts_with("(")) {
      return Rule::kIndexDivBase;
    }
    return atom.starts_with("blockIdx.") && instead.starts_with("blockIdx.") ? Rule::kIndexAxis
                                                                             : Rule::kIndexPlace;
  }
  const auto divided = [](const Terms& terms) {
    return std::ranges::any_of(terms,
                               [](const auto& term) { return term.first.name.starts_with("("); });
  };
  return divided(own) && divided(other) ? Rule::kIndexDivBase : Rule::kIndexPlace;
}

}  // namespace ws::ir
