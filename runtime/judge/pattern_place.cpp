// Patterns of place: where the mismatches lie.
#include <algorithm>
#include <map>
#include <numeric>

#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

using Counts = std::vector<std::int64_t>;

/// Lines (rows or columns) of which at least half of the `length` elements are wrong.
std::vector<bool> bad_lines(const Counts& counts, std::int64_t length) {
  std::vector<bool> bad(counts.size());
  std::transform(counts.begin(), counts.end(), bad.begin(),
                 [&](std::int64_t count) { return count > 0 && 2 * count >= length; });
  return bad;
}

/// Mismatches that lie in the bad lines.
std::int64_t held_by(const std::vector<bool>& bad, const Counts& counts) {
  std::int64_t held = 0;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    held += bad[i] ? counts[i] : 0;
  }
  return held;
}

/// True when the bad lines hold nearly all mismatches.
bool covers(const std::vector<bool>& bad, const Counts& counts, std::int64_t all) {
  return 100 * held_by(bad, counts) >= 95 * all;
}

/// How many lines at the end are bad, if all bad ones lie there and are at most half; else 0.
/// More than half is no tail: a result shifted by one spares the first line only.
std::int64_t tail_length(const std::vector<bool>& bad) {
  const auto first = std::find(bad.begin(), bad.end(), true);
  const auto length = bad.end() - first;
  const bool together = std::find(first, bad.end(), false) == bad.end();
  return together && 2 * length <= std::ssize(bad) ? length : 0;
}

/// The block size that a tail of `length` in `size` points to; 0 when none does.
std::int64_t tile_of(std::int64_t size, std::int64_t length) {
  for (const std::int64_t tile : {32, 16, 64, 128, 8, 256, 4, 512, 1024, 2}) {
    if (tile < size && size % tile == length) {
      return tile;
    }
  }
  return 0;
}

struct Axis {
  std::string noun;  ///< "column"
  std::string size;  ///< "n", or the number.
  std::int64_t extent;
};

Axis row_axis(const MismatchMap& map) {
  return {"row", map.row_size(), map.rows()};
}

Axis column_axis(const MismatchMap& map) {
  return {map.is_line() ? "element" : "column", map.column_size(), map.columns()};
}

std::string tail_words(const Axis& axis, std::int64_t length) {
  const std::string of = "of " + counted(axis.extent, axis.noun);
  return length == 1 ? "the last " + of : "the last " + std::to_string(length) + " " + of;
}

std::string tail_hint(const Axis& axis, std::int64_t length) {
  const std::int64_t tile = tile_of(axis.extent, length);
  if (tile == 0) {
    return "the bound of the " + axis.noun + " index stops " + std::to_string(length) +
           " short of " + axis.size + ": check its comparison (< against <=, a - 1)";
  }
  return "the " + axis.noun + " tail (" + axis.size + " % " + std::to_string(tile) +
         ") is not handled: check the bound of the " + axis.noun +
         " index and that the grid uses cdiv(" + axis.size + ", ...)";
}

MismatchPattern tail_pattern(const MismatchMap& map, std::string_view code, const Axis& axis,
                             std::int64_t length) {
  const char* verb = length == 1 ? " is wrong" : " are wrong";
  return {code, tail_words(axis, length) + verb + map.unwritten_words(), tail_hint(axis, length)};
}

struct Progression {
  std::int64_t first;
  std::int64_t step;
};

/// The most common distance between neighbouring marks; 0 when there are fewer than three.
std::int64_t common_gap(const std::vector<bool>& marked) {
  std::map<std::int64_t, std::int64_t> gaps;
  std::int64_t last = -1;
  std::int64_t marks = 0;
  for (std::int64_t i = 0; i < std::ssize(marked); ++i) {
    if (!marked[static_cast<std::size_t>(i)]) {
      continue;
    }
    if (++marks > 1) {
      ++gaps[i - last];
    }
    last = i;
  }
  const auto most = std::max_element(
      gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return marks < 3 ? 0 : most->first;
}

/// Set when the marked lines are first, first + step, ... up to the end, but for the few that
/// chance makes right or wrong (poison that happens to be near the value).
std::optional<Progression> progression_of(const std::vector<bool>& marked) {
  const std::int64_t step = common_gap(marked);
  if (step < 2) {
    return std::nullopt;
  }
  std::vector<std::int64_t> by_phase(static_cast<std::size_t>(step));
  for (std::int64_t i = 0; i < std::ssize(marked); ++i) {
    by_phase[static_cast<std::size_t>(i % step)] += marked[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  const auto most = std::max_element(by_phase.begin(), by_phase.end());
  const std::int64_t first = most - by_phase.begin();
  const std::int64_t members = (std::ssize(marked) - first + step - 1) / step;
  const std::int64_t others = std::accumulate(by_phase.begin(), by_phase.end(), -*most);
  const bool regular = 100 * (members - *most) <= 5 * members && 50 * others <= std::ssize(marked);
  return regular && members >= 3 ? std::optional(Progression{first, step}) : std::nullopt;
}

std::string ordinal(std::int64_t number) {
  const std::int64_t tens = number % 100;
  const char* ending = "th";
  if (tens < 11 || tens > 13) {
    ending = number % 10 == 1 ? "st" : (number % 10 == 2 ? "nd" : (number % 10 == 3 ? "rd" : "th"));
  }
  return std::to_string(number) + ending;
}

/// Every k-th line wrong, or every k-th line the only right one.
std::optional<MismatchPattern> every_kth_line(const MismatchMap& map, const Axis& axis,
                                              std::vector<bool> bad) {
  const std::string hint =
      "check the stride, vector width or lane that covers " + axis.noun + "s: ";
  if (const auto wrong = progression_of(bad)) {
    return MismatchPattern{"every_kth",
                           "every " + ordinal(wrong->step) + " " + axis.noun + " is wrong" +
                               map.unwritten_words() + ", from " + axis.noun + " " +
                               std::to_string(wrong->first) + " on",
                           hint + "one of " + std::to_string(wrong->step) + " is missed"};
  }
  bad.flip();
  if (const auto right = progression_of(bad)) {
    return MismatchPattern{"every_kth",
                           "only every " + ordinal(right->step) + " " + axis.noun +
                               " is right, from " + axis.noun + " " + std::to_string(right->first) +
                               " on; the others are wrong" + map.unwritten_words(),
                           hint + "only one of " + std::to_string(right->step) + " is done"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MismatchPattern> find_tail(const MismatchMap& map) {
  const Axis row = row_axis(map);
  const Axis column = column_axis(map);
  const auto bad_rows = bad_lines(map.by_row(), map.columns());
  const auto bad_columns = bad_lines(map.by_column(), map.rows());
  const std::int64_t rows = tail_length(bad_rows);
  const std::int64_t columns = tail_length(bad_columns);
  if (columns > 0 && covers(bad_columns, map.by_column(), map.count())) {
    return tail_pattern(map, map.is_line() ? "tail_elements" : "tail_columns", column, columns);
  }
  if (rows > 0 && covers(bad_rows, map.by_row(), map.count())) {
    return tail_pattern(map, "tail_rows", row, rows);
  }
  if (rows == 0 || columns == 0) {
    return std::nullopt;
  }
  const std::int64_t inside =
      held_by(bad_rows, map.by_row()) + held_by(bad_columns, map.by_column()) - rows * columns;
  if (100 * inside < 95 * map.count()) {
    return std::nullopt;
  }
  return MismatchPattern{"tail_rows_and_columns",
                         tail_words(row, rows) + " and " + tail_words(column, columns) +
                             " are wrong" + map.unwritten_words(),
                         tail_hint(row, rows) + "; " + tail_hint(column, columns)};
}

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
  return every_kth_line(map, {"element", "", map.elements()}, map.result().wrong);
}

std::optional<MismatchPattern> find_single_element(const MismatchMap& map) {
  if (map.count() != 1 || map.elements() == 1) {
    return std::nullopt;
  }
  const Box& at = map.box();
  const std::string place = map.is_line() ? "[" + std::to_string(at.first_column) + "]"
                                          : "row " + std::to_string(at.first_row) + ", column " +
                                                std::to_string(at.first_column);
  return MismatchPattern{"single_element",
                         "only one element is wrong" + map.unwritten_words() + ": " + place,
                         "suspect a first or last thread's special case, or two threads that "
                         "write the same element"};
}

std::optional<MismatchPattern> find_one_block(const MismatchMap& map) {
  const Box& box = map.box();
  if (map.count() < 2 || !map.fills_a_box()) {
    return std::nullopt;
  }
  std::string size = std::to_string(box.last_column - box.first_column + 1);
  if (!map.is_line()) {
    size = std::to_string(box.last_row - box.first_row + 1) + "x" + size;
  }
  return MismatchPattern{
      "one_block",
      "one block of " + size + " is wrong" + map.unwritten_words() + ": " + map.box_words(),
      "find the thread block that makes this part: its index, its tile's load, or a condition that "
      "only holds there"};
}

}  // namespace ws
