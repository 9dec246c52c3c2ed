#include "runtime/lineage/kernel_changes.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/kernel/form/lines.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

/// Comparisons of one piece: 16 MB of lengths.
constexpr std::size_t kMostCells = 4'000'000;
/// How often what lies between unique lines is parted again.
constexpr int kMostParts = 8;

/// Lines [from, to) of a text, 0-based.
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;

  [[nodiscard]] bool empty() const { return from == to; }

  [[nodiscard]] std::size_t size() const { return to - from; }
};

/// Which lines of two texts belong together, in order. Small pieces by a longest common
/// subsequence, larger ones after they were parted at lines that each text has once; a large piece
/// without such lines has none.
class Matches {
 public:
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

  Matches(const Lines& before, const Lines& after)
      : before_(before),
        after_(after) {}

  Pairs find() {
    piece({0, before_.size()}, {0, after_.size()}, kMostParts);
    return std::move(pairs_);
  }

 private:
  void piece(Span a, Span b, int parts) {
    if (a.size() * b.size() <= kMostCells) {
      subsequence(a, b);
      return;
    }
    while (!a.empty() && !b.empty() && before_[a.from] == after_[b.from]) {
      pairs_.emplace_back(a.from++, b.from++);
    }
    std::size_t alike = 0;
    while (!a.empty() && !b.empty() && before_[a.to - 1] == after_[b.to - 1]) {
      --a.to;
      --b.to;
      ++alike;
    }
    Span rest_a{a.from, a.from};
    Span rest_b{b.from, b.from};
    for (const auto& [i, j] : parts > 0 ? anchors(a, b) : Pairs()) {
      piece({rest_a.from, i}, {rest_b.from, j}, parts - 1);
      pairs_.emplace_back(i, j);
      rest_a.from = i + 1;
      rest_b.from = j + 1;
    }
    if (rest_a.from > a.from) {
      piece({rest_a.from, a.to}, {rest_b.from, b.to}, parts - 1);
    }
    for (std::size_t i = 0; i < alike; ++i) {
      pairs_.emplace_back(a.to + i, b.to + i);
    }
  }

  void subsequence(Span a, Span b) {
    const std::size_t width = b.size() + 1;
    // common[i * width + j]: the length of the longest one of the lines from i and from j on.
    std::vector<std::uint32_t> common((a.size() + 1) * width, 0);
    const auto same = [&](std::size_t i, std::size_t j) {
      return before_[a.from + i] == after_[b.from + j];
    };
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        common[i * width + j] =
            same(i, j) ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (same(i, j)) {
        pairs_.emplace_back(a.from + i++, b.from + j++);
      } else {
        const bool drop = common[(i + 1) * width + j] >= common[i * width + j + 1];
        ++(drop ? i : j);
      }
    }
  }

  /// Lines that both pieces have once, as many as stand in one order.
  [[nodiscard]] Pairs anchors(Span a, Span b) const {
    struct Place {
      std::size_t count = 0;
      std::size_t at = 0;
    };

    std::unordered_map<std::string_view, std::pair<Place, Place>> places;
    for (std::size_t i = a.from; i < a.to; ++i) {
      Place& place = places[before_[i]].first;
      place = {place.count + 1, i};
    }
    for (std::size_t j = b.from; j < b.to; ++j) {
      Place& place = places[after_[j]].second;
      place = {place.count + 1, j};
    }
    Pairs unique;
    for (const auto& [line, place] : places) {
      if (place.first.count == 1 && place.second.count == 1) {
        unique.emplace_back(place.first.at, place.second.at);
      }
    }
    std::sort(unique.begin(), unique.end());
    return rising(unique);
  }

  /// A longest selection whose second numbers rise as the first ones do.
  static Pairs rising(const Pairs& all) {
    std::vector<std::size_t> ends;  // Of a selection of each length, the one that ends lowest.
    std::vector<std::size_t> previous(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto at = std::lower_bound(
          ends.begin(), ends.end(), all[i].second,
          [&](std::size_t end, std::size_t second) { return all[end].second < second; });
      previous[i] = at == ends.begin() ? i : *std::prev(at);
      if (at == ends.end()) {
        ends.push_back(i);
      } else {
        *at = i;
      }
    }
    Pairs chosen;
    for (std::size_t length = ends.size(), i = ends.empty() ? 0 : ends.back(); length > 0;
         --length, i = previous[i]) {
      chosen.push_back(all[i]);
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

  const Lines& before_;
  const Lines& after_;
  Pairs pairs_;
};

Json edit_form(const Lines& before, Span removed, const Lines& after, Span added) {
  Json form = {{"from", removed.from + 1}};
  if (!removed.empty()) {
    form["to"] = removed.to;
    form["old"] = join_lines(before, removed.from + 1, removed.to);
  }
  if (!added.empty()) {
    // With its line end: a single empty line would read as no line otherwise.
    form["text"] = join_lines(after, added.from + 1, added.to) + "\n";
  }
  form["op"] = removed.empty() ? "insert" : added.empty() ? "delete" : "replace";
  return form;
}

}  // namespace

Json line_edits(std::string_view before_text, std::string_view after_text,
                std::string_view region) {
  const Lines before = split_lines(before_text);
  const Lines after = split_lines(after_text);
  Matches::Pairs pairs = Matches(before, after).find();
  pairs.emplace_back(before.size(), after.size());
  Json edits = Json::array();
  Span removed;
  Span added;
  for (const auto& [i, j] : pairs) {
    removed.to = i;
    added.to = j;
    if (!removed.empty() || !added.empty()) {
      edits.push_back(edit_form(before, removed, after, added));
      edits.back()["region"] = region;
    }
    removed.from = i + 1;
    added.from = j + 1;
  }
  return edits;
}

Json plan_changes(const Json& before, const Json& after) {
  const auto is_plan = [](const std::string& field) {
    return field != "source" && field != "macros";
  };
  Json changes = Json::object();
  for (const auto& [field, value] : after.items()) {
    if (is_plan(field) && (!before.contains(field) || before[field] != value)) {
      changes[field] = value;
    }
  }
  for (const auto& [field, value] : before.items()) {
    if (is_plan(field) && !after.contains(field)) {
      changes[field] = nullptr;
    }
  }
  return changes;
}

}  // namespace ws
