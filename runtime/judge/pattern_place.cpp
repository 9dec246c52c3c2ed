// Patterns of place: where the mismatches lie.
#include <algorithm>

#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

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

}  // namespace

std::vector<bool> bad_lines(const std::vector<std::int64_t>& counts, std::int64_t length) {
  std::vector<bool> bad(counts.size());
  std::transform(counts.begin(), counts.end(), bad.begin(),
                 [&](std::int64_t count) { return count > 0 && 2 * count >= length; });
  return bad;
}

std::int64_t held_by(const std::vector<bool>& bad, const std::vector<std::int64_t>& counts) {
  std::int64_t held = 0;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    held += bad[i] ? counts[i] : 0;
  }
  return held;
}

bool covers(const std::vector<bool>& bad, const std::vector<std::int64_t>& counts,
            std::int64_t all) {
  return 100 * held_by(bad, counts) >= 95 * all;
}

Axis row_axis(const MismatchMap& map) {
  return {"row", map.row_size(), map.rows()};
}

Axis column_axis(const MismatchMap& map) {
  return {map.is_line() ? "element" : "column", map.column_size(), map.columns()};
}

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
