// Patterns of place that come back: every k-th row, two of every sixteen columns.
#include <algorithm>
#include <map>
#include <numeric>

#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

/// `count` neighbours of every `step` are marked, from `first` on.
struct Progression {
  std::int64_t first;
  std::int64_t step;
  std::int64_t count;
};

/// The most common distance between the beginnings of marked stretches; 0 when there are fewer than
/// three.
std::int64_t common_gap(const std::vector<bool>& marked) {
  std::map<std::int64_t, std::int64_t> gaps;
  std::int64_t last = -1;
  std::int64_t starts = 0;
  for (std::int64_t i = 0; i < std::ssize(marked); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!marked[at] || (i > 0 && marked[at - 1])) {
      continue;
    }
    if (++starts > 1) {
      ++gaps[i - last];
    }
    last = i;
  }
  const auto most = std::max_element(
      gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return starts < 3 ? 0 : most->first;
}

/// The one stretch of true phases, which may go on at the beginning; nothing when there are more.
std::optional<Progression> stretch_of(const std::vector<bool>& phases) {
  const std::int64_t step = std::ssize(phases);
  const auto on = [&](std::int64_t phase) -> bool {
    return phases[static_cast<std::size_t>((phase + step) % step)];
  };
  std::optional<Progression> found;
  for (std::int64_t phase = 0; phase < step; ++phase) {
    if (on(phase) && !on(phase - 1)) {
      if (found) {
        return std::nullopt;
      }
      found = Progression{phase, step, 1};
      while (on(phase + found->count)) {
        ++found->count;
      }
    }
  }
  return found;
}

/// Set when the marked lines come back with one period up to the end, but for the few that chance
/// makes right or wrong (poison that happens to be near the value).
std::optional<Progression> progression_of(const std::vector<bool>& marked) {
  const std::int64_t step = common_gap(marked);
  const std::int64_t size = std::ssize(marked);
  if (step < 2 || size < 2 * step + 1) {
    return std::nullopt;
  }
  std::vector<std::int64_t> by_phase(static_cast<std::size_t>(step));
  for (std::int64_t i = 0; i < size; ++i) {
    by_phase[static_cast<std::size_t>(i % step)] += marked[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  std::vector<bool> phases(by_phase.size());
  std::int64_t members = 0;
  std::int64_t missing = 0;
  std::int64_t others = 0;
  for (std::int64_t phase = 0; phase < step; ++phase) {
    const auto at = static_cast<std::size_t>(phase);
    const std::int64_t all = (size - phase + step - 1) / step;
    phases[at] = 2 * by_phase[at] > all;
    members += phases[at] ? all : 0;
    missing += phases[at] ? all - by_phase[at] : 0;
    others += phases[at] ? 0 : by_phase[at];
  }
  const bool regular = members >= 3 && 100 * missing <= 5 * members && 50 * others <= size;
  return regular ? stretch_of(phases) : std::nullopt;
}

std::string ordinal(std::int64_t number) {
  const std::int64_t tens = number % 100;
  const char* ending = "th";
  if (tens < 11 || tens > 13) {
    ending = number % 10 == 1 ? "st" : (number % 10 == 2 ? "nd" : (number % 10 == 3 ? "rd" : "th"));
  }
  return std::to_string(number) + ending;
}

std::string from_words(const std::string& noun, const Progression& found) {
  return ", from " + noun + " " + std::to_string(found.first) + " on";
}

/// "every 4th column", "2 of every 16 columns".
std::string lines_words(const std::string& noun, const Progression& found) {
  return found.count == 1 ? "every " + ordinal(found.step) + " " + noun
                          : std::to_string(found.count) + " of every " +
                                std::to_string(found.step) + " " + noun + "s";
}

/// Every k-th line wrong, or a few of every k, or every k-th line the only right one.
std::optional<MismatchPattern> every_kth_line(const MismatchMap& map, const Axis& axis,
                                              std::vector<bool> bad) {
  const std::string hint =
      "check the stride, vector width, lane or edge of a tile that covers " + axis.noun + "s: ";
  const auto wrong = progression_of(bad);
  if (wrong && (wrong->count == 1 || wrong->count < wrong->step - 1)) {
    return MismatchPattern{"every_kth",
                           lines_words(axis.noun, *wrong) + (wrong->count == 1 ? " is" : " are") +
                               " wrong" + map.unwritten_words() + from_words(axis.noun, *wrong),
                           hint + (wrong->count == 1 ? "one" : std::to_string(wrong->count)) +
                               " of " + std::to_string(wrong->step) +
                               (wrong->count == 1 ? " is" : " are") + " missed"};
  }
  bad.flip();
  if (const auto right = progression_of(bad); right && right->count == 1) {
    return MismatchPattern{"every_kth",
                           "only every " + ordinal(right->step) + " " + axis.noun + " is right" +
                               from_words(axis.noun, *right) + "; the others are wrong" +
                               map.unwritten_words(),
                           hint + "only one of " + std::to_string(right->step) + " is done"};
  }
  return std::nullopt;
}

std::vector<bool> any_wrong(const std::vector<std::int64_t>& counts) {
  std::vector<bool> any(counts.size());
  std::transform(counts.begin(), counts.end(), any.begin(),
                 [](std::int64_t count) { return count > 0; });
  return any;
}

/// A part of each k-th row, of each k-th column, or of both: the corners of tiles.
std::optional<MismatchPattern> crossing_lines(const MismatchMap& map) {
  const std::vector<bool> rows = any_wrong(map.by_row());
  const std::vector<bool> columns = any_wrong(map.by_column());
  const std::int64_t crossings =
      std::count(rows.begin(), rows.end(), true) * std::count(columns.begin(), columns.end(), true);
  const auto by_row = progression_of(rows);
  const auto by_column = progression_of(columns);
  if (100 * map.count() < 95 * crossings || (!by_row && !by_column)) {
    return std::nullopt;
  }
  const Box& box = map.box();
  const std::string wrong = " is wrong" + map.unwritten_words();
  const auto place = [](const std::string& noun, const Progression& found) {
    return lines_words(noun, found) + from_words(noun, found);
  };
  const auto within = [&wrong](const std::string& noun, std::int64_t first, std::int64_t last) {
    return wrong + " in " + noun + "s " + std::to_string(first) + " to " + std::to_string(last);
  };
  const std::string text =
      by_row && by_column ? "the result" + wrong + " where " + place("row", *by_row) +
                                ", crosses " + place("column", *by_column)
      : by_row ? place("row", *by_row) + "," + within("column", box.first_column, box.last_column)
               : place("column", *by_column) + "," + within("row", box.first_row, box.last_row);
  return MismatchPattern{"every_kth", text,
                         "check the edges of a tile in both directions: its size, and which thread "
                         "loads or stores the first and the last line"};
}

}  // namespace

std::optional<MismatchPattern> find_every_kth(const MismatchMap& map) {
  auto columns = bad_lines(map.by_column(), map.rows());
  if (covers(columns, map.by_column(), map.count())) {
    if (auto found = every_kth_line(map, column_axis(map), std::move(columns))) {
      return found;
    }
  }
  auto rows = bad_lines(map.by_row(), map.columns());
  if (covers(rows, map.by_row(), map.count())) {
    if (auto found = every_kth_line(map, row_axis(map), std::move(rows))) {
      return found;
    }
  }
  if (!map.is_line()) {
    if (auto found = crossing_lines(map)) {
      return found;
    }
  }
  return every_kth_line(map, {"element", "", map.elements()}, map.result().wrong);
}

}  // namespace ws
