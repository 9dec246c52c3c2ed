// Patterns of value: what stands where the mismatches are.
#include <algorithm>
#include <cmath>

#include "runtime/base/numbers.h"
#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

bool near(double a, double b, DType type) {
  const double slack = std::max(1e-3, 4 * unit_roundoff(type));
  return std::abs(a - b) <= slack * std::max(std::abs(a), std::abs(b));
}

/// True when most elements are wrong, and nearly all sampled ones hold the value of another place.
/// `source(element)` is that place, or a negative number where there is none.
/// Pairs of zeros prove nothing, nor do places whose right values are alike, and do not count.
template <typename Source>
bool holds_values_of(const MismatchMap& map, Source source) {
  if (2 * map.count() < map.elements()) {
    return false;
  }
  std::int64_t compared = 0;
  std::int64_t equal = 0;
  for (const std::int64_t element : map.sample()) {
    const std::int64_t from = source(element);
    if (from < 0 || from >= map.elements()) {
      continue;
    }
    const double got = map.got(element);
    const double other = map.want(from);
    if ((got == 0 && other == 0) || near(map.want(element), other, map.type())) {
      continue;
    }
    ++compared;
    equal += near(got, other, map.type()) ? 1 : 0;
  }
  return compared >= kFewestAlike && 100 * equal >= 95 * compared;
}

struct Shift {
  std::int64_t rows;
  std::int64_t columns;
  bool wraps;  ///< Columns run on into the next row: a linear shift.
};

// A shift along a row comes before the linear one, from which it differs at the row ends only.
constexpr Shift kShifts[] = {{0, 1, false},  {0, -1, false}, {1, 0, false},
                             {-1, 0, false}, {0, 1, true},   {0, -1, true}};

std::int64_t shifted_from(const MismatchMap& map, std::int64_t element, const Shift& shift) {
  const std::int64_t column = element % map.columns() + shift.columns;
  if (!shift.wraps && (column < 0 || column >= map.columns())) {
    return -1;
  }
  return element + shift.rows * map.columns() + shift.columns;
}

std::string shift_words(const MismatchMap& map, const Shift& shift) {
  const bool forward = shift.rows + shift.columns > 0;
  const std::string noun =
      shift.rows != 0 ? "row" : (map.is_line() || shift.wraps ? "element" : "column");
  return "every value stands one " + noun + " too " + (forward ? "early" : "late") +
         ": the result is shifted by one " + noun;
}

}  // namespace

std::optional<MismatchPattern> find_unwritten(const MismatchMap& map) {
  if (!map.mostly_unwritten()) {
    return std::nullopt;
  }
  // A little poison happens to lie within the tolerance and is not seen.
  const bool all = 100 * map.count() >= 99 * map.elements();
  const std::string some =
      counted(map.count(), "element") + (map.count() == 1 ? " was" : " were") + " never written";
  return MismatchPattern{
      "unwritten", all ? "no element was ever written" : some + map.place_words(),
      "check that the grid covers the output, the early returns, and that the store goes to this "
      "argument"};
}

std::optional<MismatchPattern> find_not_finite(const MismatchMap& map) {
  const auto& sample = map.sample();
  const auto broken = std::count_if(sample.begin(), sample.end(), [&](std::int64_t element) {
    return !std::isfinite(map.got(element)) && std::isfinite(map.want(element));
  });
  if (2 * broken < std::ssize(sample) || !is_float(map.type())) {
    return std::nullopt;
  }
  return MismatchPattern{"not_finite",
                         counted(map.count(), "element") + (map.count() == 1 ? " is" : " are") +
                             " wrong, mostly NaN or infinite where the reference is finite",
                         "suspect an overflow (subtract the maximum before exp), a division by "
                         "zero, or a read of memory that nothing was written to"};
}

std::optional<MismatchPattern> find_all_zero(const MismatchMap& map) {
  const auto& sample = map.sample();
  const bool zeros = std::all_of(sample.begin(), sample.end(),
                                 [&](std::int64_t element) { return map.got(element) == 0; });
  if (!zeros || map.count() < 2) {
    return std::nullopt;
  }
  return MismatchPattern{
      "all_zero", "all " + counted(map.count(), "wrong element") + " are zero" + map.place_words(),
      "the sum is never added to, or zeros are stored in its place: check the "
      "loop's bounds and what is stored"};
}

std::optional<MismatchPattern> find_transposed(const MismatchMap& map) {
  const std::vector<std::int64_t>& extents = map.extents();
  const std::int64_t columns = map.columns();
  // The matrices of a batch are transposed one by one, a list of rows as one.
  const std::int64_t own_rows = extents.size() < 2 ? 1 : extents[extents.size() - 2];
  const auto transposed = [&](std::int64_t rows) {
    return rows > 1 && columns > 1 && holds_values_of(map, [&](std::int64_t element) {
             const std::int64_t first = element / (rows * columns) * (rows * columns);
             const std::int64_t within = element - first;
             // Stored as [columns][rows]; for a square output that is the transposed one.
             return first + within % rows * columns + within / rows;
           });
  };
  const bool found = transposed(map.rows()) || transposed(own_rows);
  if (!found) {
    return std::nullopt;
  }
  return MismatchPattern{"transposed", "the result is transposed: rows stand where columns belong",
                         "swap the row and the column index in the store, or the roles of x and y"};
}

std::optional<MismatchPattern> find_shifted(const MismatchMap& map) {
  for (const Shift& shift : kShifts) {
    const bool found = holds_values_of(
        map, [&](std::int64_t element) { return shifted_from(map, element, shift); });
    if (found) {
      return MismatchPattern{"shifted_by_one", shift_words(map, shift),
                             "an index is off by one, in the store or in a load: check + 1, - 1 "
                             "and counting from zero"};
    }
  }
  return std::nullopt;
}

}  // namespace ws
