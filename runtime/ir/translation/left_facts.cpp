#include "runtime/ir/translation/left_facts.h"

#include <algorithm>

namespace ws::ir {
namespace {

/// How often it occurs says something; others may be repeated at will.
bool is_counted(FactKind kind) {
  return kind == FactKind::kLoop || kind == FactKind::kCarried || kind == FactKind::kReduce ||
         kind == FactKind::kSelect || kind == FactKind::kProduct;
}

/// Without its place, such a fact says nothing.
bool is_unknown(const Fact& fact) {
  const bool placed = fact.kind == FactKind::kRead || fact.kind == FactKind::kWrite ||
                      fact.kind == FactKind::kMask || fact.kind == FactKind::kLoop;
  return placed && !fact.position;
}

std::vector<const Fact*> blocks_of(const std::vector<Fact>& facts) {
  std::vector<const Fact*> blocks;
  for (const Fact& fact : facts) {
    if (fact.kind == FactKind::kBlock) {
      blocks.push_back(&fact);
    }
  }
  return blocks;
}

/// One by one, where both ask as often, but not for the same.
std::vector<const Fact*> blocks_left_of(const std::vector<Fact>& from,
                                        const std::vector<Fact>& among) {
  const std::vector<const Fact*> blocks = blocks_of(from);
  const std::vector<const Fact*> others = blocks_of(among);
  std::vector<const Fact*> left;
  const auto same = [](const Fact* a, const Fact* b) { return a->same(*b); };
  if (std::ranges::is_permutation(blocks, others, same)) {
    return left;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool known =
        blocks.size() == others.size()
            ? others[i]->same(*blocks[i])
            : std::ranges::any_of(others, [&](const Fact* o) { return o->same(*blocks[i]); });
    if (!known) {
      left.push_back(blocks[i]);
    }
  }
  return left;
}

}  // namespace

std::vector<const Fact*> facts_left(const std::vector<Fact>& from, const std::vector<Fact>& among) {
  std::vector<bool> used(among.size());
  std::vector<const Fact*> left = blocks_left_of(from, among);
  for (const Fact& fact : from) {
    if (fact.kind == FactKind::kBlock) {
      continue;
    }
    std::size_t i = 0;
    while (i < among.size() && ((is_counted(fact.kind) && used[i]) || !fact.same(among[i]))) {
      ++i;
    }
    if (i < among.size()) {
      used[i] = true;
    } else if (!is_unknown(fact)) {
      left.push_back(&fact);
    }
  }
  return left;
}

std::vector<const Fact*> operations_left(const std::vector<Fact>& from,
                                         const std::vector<Fact>& among) {
  std::vector<const Fact*> left;
  for (auto fact = from.rbegin(); fact != from.rend(); ++fact) {
    const auto same = [&](const Fact& other) {
      return other.kind == fact->kind && other.object == fact->object;
    };
    const bool operation = fact->kind == FactKind::kOperator || fact->kind == FactKind::kFunction;
    const bool told = std::ranges::any_of(left, [&](const Fact* known) { return same(*known); });
    if (operation && !told &&
        std::ranges::count_if(from, same) > std::ranges::count_if(among, same)) {
      left.push_back(&*fact);
    }
  }
  return left;
}

}  // namespace ws::ir
