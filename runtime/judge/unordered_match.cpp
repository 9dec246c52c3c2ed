#include "runtime/judge/unordered_match.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/judge/unordered_strips.h"

namespace ws {
namespace {

using Rows = std::vector<std::int64_t>;

constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

/// Places from 0 on, of which some have been taken away.
class PlacesLeft {
 public:
  explicit PlacesLeft(std::size_t count)
      : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }

  void remove(std::size_t place) { next_[place] = place + 1; }

  /// The first one that is left from `place` on; the number of all where there is none.
  std::size_t from(std::size_t place) {
    while (next_[place] != place) {
      next_[place] = next_[next_[place]];
      place = next_[place];
    }
    return place;
  }

 private:
  std::vector<std::size_t> next_;
};

/// Searches for partners of the rows that the first pass has left over.
class PartnerSearch {
 public:
  PartnerSearch(RowPairs& pairs, RowMatching& matching, std::int64_t most)
      : pairs_(pairs),
        matching_(matching),
        most_(most),
        before_(pairs.compared()),
        sorted_(pairs, telling_columns(pairs, matching.missing)),
        partner_(matching.partner.size(), kNoPlace),
        owner_(sorted_.size(), kNoRow),
        reached_from_(sorted_.size(), kNoRow) {
    std::vector<std::size_t> place_of(sorted_.size());
    for (std::size_t place = 0; place < sorted_.size(); ++place) {
      place_of[static_cast<std::size_t>(sorted_.row_at(place))] = place;
    }
    for (std::size_t want = 0; want < partner_.size(); ++want) {
      if (matching.partner[want] != kNoRow) {
        partner_[want] = place_of[static_cast<std::size_t>(matching.partner[want])];
        owner_[partner_[want]] = static_cast<std::int64_t>(want);
      }
    }
  }

  void run() {
    Rows open = matching_.missing;
    bool found = true;
    while (found && !open.empty() && !spent()) {
      found = pass(open);
    }
    matching_.complete = !spent() || open.empty();
    matching_.open = static_cast<std::int64_t>(open.size());
    if (matching_.complete) {
      lost_.insert(lost_.end(), open.begin(), open.end());
      matching_.open = 0;
    }
    std::ranges::sort(lost_);
    matching_.missing = std::move(lost_);
    write_back();
  }

 private:
  /// Where a row is certain to be missing already, less is worth doing.
  [[nodiscard]] bool spent() const {
    return pairs_.compared() - before_ + work_ >= (lost_.empty() ? most_ : most_ / 8);
  }

  /// Searches once from each row of `open`, on paths that share no row. Rows that can have no
  /// partner move to `lost_`.
  /// @return  Whether new pairs were found, so that another pass may find more.
  bool pass(Rows& open) {
    PlacesLeft free(sorted_.size());
    PlacesLeft taken(sorted_.size());
    for (std::size_t place = 0; place < sorted_.size(); ++place) {
      (owner_[place] == kNoRow ? taken : free).remove(place);
    }
    work_ += static_cast<std::int64_t>(sorted_.size());
    Rows left;
    bool found = false;
    for (const std::int64_t want : open) {
      if (search(want, free, taken)) {
        found = true;
      } else {
        // The paths of an earlier pair may have hidden this row's.
        (found || spent() ? left : lost_).push_back(want);
      }
    }
    open = std::move(left);
    return found;
  }

  bool search(std::int64_t from, PlacesLeft& free, PlacesLeft& taken) {
    Rows queue{from};
    for (std::size_t i = 0; i < queue.size() && !spent(); ++i) {
      const std::int64_t want = queue[i];
      const std::vector<RowStrips::Range> near = sorted_.near(want);
      work_ += static_cast<std::int64_t>(near.size());
      bool found = false;
      for_each_alike(want, near, free, [&](std::size_t at) {
        swap_along(at, want);
        found = true;
        return false;
      });
      if (found) {
        return true;
      }
      for_each_alike(want, near, taken, [&](std::size_t at) {
        reached_from_[at] = want;
        queue.push_back(owner_[at]);
        return true;
      });
    }
    return false;
  }

  /// Takes the places away where a row is alike to `want`, and calls use() for each until it
  /// returns false.
  template <typename Use>
  void for_each_alike(std::int64_t want, const std::vector<RowStrips::Range>& near,
                      PlacesLeft& left, const Use& use) {
    for (const auto& [begin, end] : near) {
      for (std::size_t at = left.from(begin); at < end && !spent(); at = left.from(at + 1)) {
        if (pairs_.alike(sorted_.row_at(at), want)) {
          left.remove(at);
          if (!use(at)) {
            return;
          }
        }
      }
    }
  }

  /// Gives `want` the partner at `place`, and its own one to the row that it was reached from.
  void swap_along(std::size_t place, std::int64_t want) {
    while (place != kNoPlace) {
      const std::size_t own = std::exchange(partner_[static_cast<std::size_t>(want)], place);
      owner_[place] = want;
      place = own;
      want = own == kNoPlace ? kNoRow : reached_from_[own];
    }
  }

  void write_back() {
    for (std::size_t want = 0; want < partner_.size(); ++want) {
      matching_.partner[want] =
          partner_[want] == kNoPlace ? kNoRow : sorted_.row_at(partner_[want]);
    }
    matching_.surplus.clear();
    for (std::size_t place = 0; place < owner_.size(); ++place) {
      if (owner_[place] == kNoRow) {
        matching_.surplus.push_back(sorted_.row_at(place));
      }
    }
    std::ranges::sort(matching_.surplus);
  }

  RowPairs& pairs_;
  RowMatching& matching_;
  std::int64_t most_;    ///< So much work may be done.
  std::int64_t before_;  ///< Elements that had been compared at the beginning.
  RowStrips sorted_;
  std::vector<std::size_t> partner_;  ///< The place of each reference row's partner.
  Rows owner_;                        ///< The row of the reference whose partner is at a place.
  Rows reached_from_;      ///< The row of the reference from which the search came to a place.
  Rows lost_;              ///< Rows of the reference that no search can find a partner for.
  std::int64_t work_ = 0;  ///< Places and ranges that were gone through.
};

/// Those of `rows` that are alike to no row of the reference, as far as the comparisons suffice.
Rows alike_to_none(RowPairs& pairs, const Rows& rows, std::int64_t most_compared) {
  Rows found;
  for (std::size_t i = 0; i < rows.size() && pairs.compared() < most_compared; ++i) {
    std::int64_t want = 0;
    while (want < pairs.want_rows() && !pairs.alike(rows[i], want)) {
      ++want;
    }
    if (want == pairs.want_rows()) {
      found.push_back(rows[i]);
    }
  }
  return found;
}

/// Goes through both sides in their order.
RowMatching match_in_order(RowPairs& pairs) {
  RowMatching matching;
  matching.partner.assign(static_cast<std::size_t>(pairs.want_rows()), kNoRow);
  std::int64_t got = 0;
  std::int64_t want = 0;
  while (got < pairs.got_rows() && want < pairs.want_rows()) {
    if (pairs.alike(got, want)) {
      matching.partner[static_cast<std::size_t>(want++)] = got++;
    } else if (pairs.order(want, got) < 0) {
      matching.missing.push_back(want++);
    } else {
      matching.surplus.push_back(got++);
    }
  }
  for (; want < pairs.want_rows(); ++want) {
    matching.missing.push_back(want);
  }
  for (; got < pairs.got_rows(); ++got) {
    matching.surplus.push_back(got);
  }
  return matching;
}

}  // namespace

RowMatching match_rows(RowPairs& pairs, std::int64_t most_compared) {
  RowMatching matching = match_in_order(pairs);
  if (matching.missing.empty() || matching.surplus.empty() || pairs.order_decides()) {
    return matching;
  }
  PartnerSearch(pairs, matching, most_compared).run();
  if (!matching.complete) {
    matching.surplus = alike_to_none(pairs, matching.surplus, pairs.compared() + most_compared);
  }
  return matching;
}

}  // namespace ws
