// Layouts that products show: which element of a tile each thread's sums are.
#include <algorithm>

#include "runtime/lift/orchestration/part.h"
#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

using Element = std::pair<std::int64_t, std::int64_t>;

/// Terms that are looked at below one operand.
constexpr int kMostWalk = 64;

/// Finds the element of a tile, in shared memory or registers, that an operand is made of.
class Elements {
 public:
  Elements(const Terms& terms, const std::vector<Object>& objects,
           const std::map<ObjectId, Layout>& layouts)
      : terms_(terms),
        objects_(objects),
        layouts_(layouts) {}

  [[nodiscard]] std::optional<Element> of(Ref ref) const {
    int left = kMostWalk;
    return of(ref, left);
  }

 private:
  std::optional<Element> of(Ref ref, int& left) const {
    ref = terms_.resolve(ref);
    if (ref.term == kNone || left-- <= 0) {
      return std::nullopt;
    }
    const Term& term = terms_.at(ref.term);
    const auto lane = static_cast<std::size_t>(ref.lane);
    if (term.kind == TermKind::kLoad) {
      const Object& array = objects_[static_cast<std::size_t>(term.object)];
      if (array.dims.size() < 2) {
        return std::nullopt;
      }
      const std::int64_t size = array.dims.rbegin()[0] * array.dims.rbegin()[1];
      const auto at = array.logical.find(lane_of(term.poly.constant(), lane) % size);
      return at == array.logical.end() ? std::nullopt : std::optional(at->second);
    }
    if (term.kind == TermKind::kCarried) {
      const auto known = layouts_.find(term.object);
      if (known == layouts_.end() || known->second.cols == 1) {
        return std::nullopt;  // A number of a row says nothing of columns.
      }
      const std::int64_t place = known->second.places[static_cast<std::size_t>(term.slot)][lane];
      return Element{place / known->second.cols, place % known->second.cols};
    }
    std::optional<Element> found;
    for (std::size_t i = 0; i < term.args.size() && !found && !is_matrix_product(term); ++i) {
      found = of({term.args[i], ref.lane}, left);
    }
    return found;
  }

  const Terms& terms_;
  const std::vector<Object>& objects_;
  const std::map<ObjectId, Layout>& layouts_;
};

/// The row, or column, of the result that two neighbours along the sum have in common.
std::optional<std::int64_t> common(const std::optional<Element>& a,
                                   const std::optional<Element>& b) {
  if (!a || !b || (a->first == b->first) == (a->second == b->second)) {
    return std::nullopt;
  }
  return a->first == b->first ? a->first : a->second;
}

}  // namespace

// Wrong places would not go unseen: operands that are no rows and columns of their tiles then are
// refused where the product is written.
std::optional<Layout> layout_of_products(const std::vector<Leaf>& sums, const Terms& terms,
                                         const std::vector<Object>& objects,
                                         const std::map<ObjectId, Layout>& layouts) {
  const Elements elements(terms, objects, layouts);
  std::vector<Element> found;
  Element most = {0, 0};
  for (const Leaf& leaf : sums) {
    for (std::size_t lane = 0; lane < terms.lanes(); ++lane) {
      const Ref ref =
          leaf.term == kNone ? Ref() : terms.resolve({leaf.term, static_cast<std::int32_t>(lane)});
      if (ref.term == kNone || !is_matrix_product(terms.at(ref.term))) {
        return std::nullopt;
      }
      const auto row = common(elements.of(left_element(terms, ref, 0)),
                              elements.of(left_element(terms, ref, 1)));
      const auto col = common(elements.of(right_element(terms, ref, 0)),
                              elements.of(right_element(terms, ref, 1)));
      if (!row || !col) {
        return std::nullopt;
      }
      found.emplace_back(*row, *col);
      most = {std::max(most.first, *row), std::max(most.second, *col)};
    }
  }
  const std::size_t lanes = std::max<std::size_t>(terms.lanes(), 1);
  Layout layout{most.first + 1, most.second + 1, {}};
  std::vector<bool> seen(static_cast<std::size_t>(layout.rows * layout.cols), false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t place = found[i].first * layout.cols + found[i].second;
    if (i % lanes == 0) {
      layout.places.emplace_back();
    }
    layout.places.back().push_back(place);
    if (seen[static_cast<std::size_t>(place)]) {
      return std::nullopt;
    }
    seen[static_cast<std::size_t>(place)] = true;
  }
  const bool dense = std::find(seen.begin(), seen.end(), false) == seen.end();
  return dense && !found.empty() ? std::optional(std::move(layout)) : std::nullopt;
}

}  // namespace ws::lift
