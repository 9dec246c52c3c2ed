#include "runtime/lift/symbolic/layouts.h"

#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

/// Terms that are looked at below one value: the same one may be there in many ways.
constexpr int kMaxWalk = 4096;
constexpr std::size_t kMaxLoads = 8;

}  // namespace

void Layouts::note_roots(const StoreGroup& group) {
  for (const StoreEvent& event : group.events) {
    roots_.push_back(event.value);
    roots_.insert(roots_.end(), event.masks.begin(), event.masks.end());
  }
}

Status Layouts::store(const StoreGroup& group) {
  note_roots(group);
  const Object& target = (*objects_)[static_cast<std::size_t>(group.object)];
  // The second run reports everything that is no tile, with its reason.
  const TensorInput& tensor = input_.tensors[target.tensor];
  const auto rows = Tiles::as_rows(tensor);
  if (const auto made = tiles_.tile_of(tensor, group)) {
    note_layouts(made->first);
  } else if (const auto flat = rows ? tiles_.tile_of(*rows, group) : made) {
    note_layouts(flat->first);
  }
  return {};
}

Result<std::optional<Logical>> Layouts::stage(const StoreGroup& group) {
  note_roots(group);
  Tile tile;
  return tiles_.logical_of(group, *objects_, tile);
}

Status Layouts::begin_loop(const LoopEvent&, const std::vector<Update>& initial) {
  for (const Update& update : initial) {
    std::vector<TermId>& all = updates_[update.object];
    all.insert(all.end(), update.now.begin(), update.now.end());
  }
  return {};
}

Status Layouts::update(const std::vector<Update>& updates, const Range&) {
  for (const Update& update : updates) {
    std::vector<TermId>& all = updates_[update.object];
    all.insert(all.end(), update.now.begin(), update.now.end());
    last_[update.object] = update.now;
    default_layout(update);
  }
  return {};
}

/// Values that a store takes as they are, thread by thread, lie where it puts them.
void Layouts::note_layouts(const Tile& tile) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < tile.points.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    placed.push_back({tile.points[i], at / tile.cols, at % tile.cols});
  }
  learn(placed, tile.rows, tile.cols);
}

/// Lays out the variables that are in the elements of a tile. Where warps work together, what
/// several threads use along a row lies once in each row.
void Layouts::learn(const std::vector<Placed>& placed, std::int64_t rows, std::int64_t cols) {
  std::map<ObjectId, Appearances> found;
  for (const Placed& one : placed) {
    if (!input_.time_budget.left()) {
      return;  // The next caller that asks reports it.
    }
    int left = kMaxWalk;
    const std::int32_t lane = terms_.resolve(one.ref).lane;
    ++walks_;
    walk(one.ref, {one.row, one.col, lane}, found, left);
  }
  for (const auto& [object, seen] : found) {
    const auto all = [&](auto holds) {
      return std::ranges::all_of(
          seen, [&](const auto& slot) { return std::ranges::all_of(slot, holds); });
    };
    const bool by_row = all([](const Appearance& one) { return one.row >= 0; });
    const bool by_col = all([](const Appearance& one) { return one.col >= 0; });
    if (by_row && by_col && seen.size() * terms_.lanes() == placed.size()) {
      layouts_[object] = layout_of(seen, rows, cols);
      learned_.insert(object);
    } else if (by_rows_ && by_row && cols > 1 && !learned_.contains(object) &&
               all([](const Appearance& one) { return one.own; })) {
      layouts_[object] = layout_of(seen, rows, 1);
      learned_.insert(object);
    }
  }
}

/// From variables whose layout is known to those that these are made of in each round.
void Layouts::spread() {
  for (bool more = by_rows_; more;) {
    const std::size_t known = learned_.size();
    for (const auto& [object, now] : last_) {
      if (!learned_.contains(object)) {
        continue;
      }
      const Layout layout = layouts_.at(object);
      std::vector<Placed> placed;
      for (std::size_t slot = 0; slot < layout.places.size() && slot < now.size(); ++slot) {
        for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
          const std::int64_t place = layout.places[slot][lane];
          placed.push_back({{now[slot], static_cast<std::int32_t>(lane)},
                            place / layout.cols,
                            place % layout.cols});
        }
      }
      learn(placed, layout.rows, layout.cols);
    }
    more = learned_.size() > known;
  }
}

Layout Layouts::layout_of(const Appearances& seen, std::int64_t rows, std::int64_t cols) {
  Layout layout{rows, cols, {}};
  for (const std::vector<Appearance>& slot : seen) {
    std::vector<std::int64_t>& places = layout.places.emplace_back();
    for (const Appearance& one : slot) {
      places.push_back(cols == 1 ? one.row : one.row * cols + one.col);
    }
  }
  return layout;
}

/// @param at  The element of the tile, and the thread that stores it.
void Layouts::walk(Ref ref, const Point& at, std::map<ObjectId, Appearances>& found, int& left) {
  ref = by_rows_ ? terms_.resolve(ref) : ref;
  if (ref.term == kNone || left-- <= 0) {
    return;
  }
  walked_.resize(terms_.size());
  Walked& last = walked_[static_cast<std::size_t>(ref.term)];
  if (last.walk == walks_ && last.lane == ref.lane) {
    return;
  }
  last = {walks_, ref.lane};
  const Term& term = terms_.at(ref.term);
  if (term.kind == TermKind::kCarried) {
    Appearances& seen = found[term.object];
    if (seen.empty()) {
      seen.assign(count_slots((*objects_)[static_cast<std::size_t>(term.object)]),
                  std::vector<Appearance>(terms_.lanes()));
    }
    Appearance& one = seen[static_cast<std::size_t>(term.slot)][static_cast<std::size_t>(ref.lane)];
    const auto joined = [&](std::int64_t before, std::int64_t now) {
      return !by_rows_ || before == kNowhere || before == now ? now : kSeveralPlaces;
    };
    one.row = joined(one.row, at.row);
    one.col = joined(one.col, at.col);
    one.own = one.own && ref.lane == at.lane;
  }
  if (is_matrix_product(term)) {
    walk({term.args.back(), ref.lane}, at, found, left);  // The others are of other elements.
  } else if (term.kind == TermKind::kOperation) {
    for (const TermId arg : term.args) {
      walk({arg, ref.lane}, at, found, left);
    }
  }
}

void Layouts::loads_of(TermId id, std::vector<TermId>& loads, int& left) const {
  if (id == kNone || left-- <= 0 || loads.size() >= kMaxLoads) {
    return;
  }
  const Term& term = terms_.at(id);
  if (term.kind == TermKind::kLoad &&
      (*objects_)[static_cast<std::size_t>(term.object)].kind == ObjectKind::kTensor) {
    loads.push_back(id);
  }
  for (const TermId arg : term.args) {
    loads_of(arg, loads, left);
  }
}

std::optional<Layout> Layouts::by_loads(const Update& update) {
  std::vector<std::vector<TermId>> loads(update.now.size());
  for (std::size_t slot = 0; slot < update.now.size(); ++slot) {
    int left = kMaxWalk;
    loads_of(update.now[slot], loads[slot], left);
  }
  for (std::size_t choice = 0; choice < loads.front().size(); ++choice) {
    std::vector<Ref> refs;
    std::vector<const Poly*> offsets;
    bool all = true;
    for (std::size_t slot = 0; slot < loads.size() && all; ++slot) {
      all = choice < loads[slot].size() &&
            terms_.at(loads[slot][choice]).object == terms_.at(loads.front()[choice]).object;
      for (std::size_t lane = 0; lane < terms_.lanes() && all; ++lane) {
        refs.push_back({update.now[slot], static_cast<std::int32_t>(lane)});
        offsets.push_back(&terms_.at(loads[slot][choice]).poly);
      }
    }
    if (!all) {
      continue;
    }
    const Object& source =
        (*objects_)[static_cast<std::size_t>(terms_.at(loads.front()[choice]).object)];
    const auto made = tiles_.tile_of(input_.tensors[source.tensor], refs, offsets);
    if (!made || made->first.points.size() != refs.size()) {
      continue;
    }
    Layout layout{made->first.rows, made->first.cols,
                  std::vector(loads.size(), std::vector<std::int64_t>(terms_.lanes(), -1))};
    std::map<std::pair<TermId, std::int32_t>, std::int64_t> places;
    for (const Ref& point : made->first.points) {
      places.emplace(std::pair(point.term, point.lane), static_cast<std::int64_t>(places.size()));
    }
    for (std::size_t i = 0; i < refs.size(); ++i) {
      layout.places[i / terms_.lanes()][i % terms_.lanes()] =
          places.at({refs[i].term, refs[i].lane});
    }
    return layout;
  }
  return std::nullopt;
}

void Layouts::default_layout(const Update& update) {
  const bool known = std::find(update.now.begin(), update.now.end(), kNone) == update.now.end();
  if (layouts_.contains(update.object) || update.now.empty() || !known) {
    return;
  }
  if (std::optional<Layout> layout = by_loads(update)) {
    layouts_[update.object] = *std::move(layout);
    return;
  }
  const auto lanes = static_cast<std::int64_t>(terms_.lanes());
  Layout layout{static_cast<std::int64_t>(update.now.size()), lanes, {}};
  for (std::int64_t slot = 0; slot < layout.rows; ++slot) {
    std::vector<std::int64_t>& row = layout.places.emplace_back();
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      row.push_back(slot * lanes + lane);
    }
  }
  layouts_[update.object] = std::move(layout);
}

std::set<ObjectId> Layouts::needed() const {
  std::set<ObjectId> needed;
  std::vector<bool> seen(terms_.size(), false);
  std::vector<TermId> open = roots_;
  const auto add = [&](TermId id) {
    if (id != kNone && !seen[static_cast<std::size_t>(id)]) {
      seen[static_cast<std::size_t>(id)] = true;
      open.push_back(id);
    }
  };
  while (!open.empty()) {
    const TermId id = open.back();
    open.pop_back();
    if (id == kNone) {
      continue;
    }
    const Term& term = terms_.at(id);
    for (const TermId arg : term.args) {
      add(arg);
    }
    for (const TermId mask : term.masks) {
      add(mask);
    }
    for (const Ref& source : term.sources) {
      add(source.term);
    }
    if (term.kind == TermKind::kCarried && needed.insert(term.object).second) {
      const auto updates = updates_.find(term.object);
      for (const TermId now : updates == updates_.end() ? std::vector<TermId>() : updates->second) {
        add(now);
      }
    }
  }
  return needed;
}

}  // namespace ws::lift
