// Patterns of value: the right result times a number, or a number more than it.
#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/base/numbers.h"
#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

constexpr double kAlike = 5e-3;        // Relative: of values that are meant to be the same.
constexpr double kSlightlyOff = 0.02;  // A ratio so near to 1 may be rounding.
constexpr double kSteady = 0.1;        // How far slight errors that are no rounding differ.

constexpr const char* kRatioHint =
    "a factor is missing or applied twice: a scale, a division by the count, or terms that are "
    "added twice or left out";

/// The middle of `values`, if nearly all lie within `slack` of it. @param slack  Of the middle.
template <typename Slack>
std::optional<double> agreed(std::vector<double>& values, std::int64_t fewest, Slack slack) {
  const auto count = std::ssize(values);
  if (count < fewest) {
    return std::nullopt;
  }
  std::nth_element(values.begin(), values.begin() + count / 2, values.end());
  const double middle = values[static_cast<std::size_t>(count / 2)];
  const auto close = std::count_if(values.begin(), values.end(), [&](double value) {
    return std::abs(value - middle) <= slack(middle);
  });
  return 100 * close >= 95 * count ? std::optional(middle) : std::nullopt;
}

/// got / want of those of `elements` that have one.
std::vector<double> ratios_of(const MismatchMap& map, const std::vector<std::int64_t>& elements) {
  std::vector<double> ratios;
  for (const std::int64_t element : elements) {
    const double want = map.want(element);
    const double got = map.got(element);
    if (want != 0 && std::isfinite(want) && std::isfinite(got)) {
      ratios.push_back(got / want);
    }
  }
  return ratios;
}

double alike(DType type) {
  return std::max(kAlike, 4 * unit_roundoff(type));
}

/// "n, the number of columns" where `ratio` or its reciprocal is an extent, or its root.
std::string meaning_of(const MismatchMap& map, double ratio) {
  const double size = std::abs(ratio);
  for (std::size_t i = 0; i < map.extents().size(); ++i) {
    const auto extent = static_cast<double>(map.extents()[i]);
    const std::string name =
        i < map.names().size() ? map.names()[i] : significant_digits(extent, 9);
    const auto is = [size](double value) { return std::abs(size / value - 1) < 1e-3; };
    if (extent < 3) {
      continue;
    }
    if (is(extent) || is(1 / extent)) {
      return is(extent)
                 ? "it is " + name + " times too large: a division by " + name + " is missing"
                 : "it is divided by " + name + " once too often";
    }
    if (is(std::sqrt(extent)) || is(1 / std::sqrt(extent))) {
      return is(std::sqrt(extent))
                 ? "the factor is the root of " + name + ": a scale is missing"
                 : "the factor is 1 over the root of " + name + ": a scale is applied twice";
    }
  }
  const double whole = std::round(size);
  if (ratio < 0 && std::abs(size - 1) < 1e-3) {
    return "the sign is wrong: check the order of a subtraction";
  }
  if (whole >= 2 && whole <= 64 && std::abs(size / whole - 1) < 1e-3) {
    return "every term is added " + significant_digits(whole, 3) +
           " times, or a division by it is missing: check that each part of the sum is done by one "
           "thread only, and that outputs are set before atomics add to them";
  }
  return kRatioHint;
}

MismatchPattern ratio_pattern(const MismatchMap& map, double ratio, int digits) {
  return {"constant_ratio",
          "every wrong value is " + significant_digits(ratio, digits) + " times the right one" +
              map.place_words(),
          meaning_of(map, ratio)};
}

MismatchPattern offset_pattern(const MismatchMap& map, double offset) {
  return {"constant_offset",
          "every wrong value is " + significant_digits(std::abs(offset), 4) +
              (offset > 0 ? " more" : " less") + " than the right one" + map.place_words(),
          "a term is added that does not belong there, or is left out or added twice: a bias, an "
          "initial value, an epsilon"};
}

std::vector<double> offsets_of(const MismatchMap& map) {
  std::vector<double> offsets;
  for (const std::int64_t element : map.sample()) {
    const double offset = map.got(element) - map.want(element);
    if (std::isfinite(offset)) {
      offsets.push_back(offset);
    }
  }
  return offsets;
}

/// Up to `rows` rows, evenly taken, with up to `each` wrong elements of each.
std::map<std::int64_t, std::vector<std::int64_t>> wrong_by_row(const MismatchMap& map,
                                                               std::int64_t rows,
                                                               std::size_t each) {
  std::map<std::int64_t, std::vector<std::int64_t>> found;
  const std::int64_t step = std::max<std::int64_t>(1, map.rows() / rows);
  for (std::int64_t row = 0; row < map.rows(); row += step) {
    if (map.by_row()[static_cast<std::size_t>(row)] == 0) {
      continue;
    }
    std::vector<std::int64_t>& elements = found[row];
    for (std::int64_t column = 0; column < map.columns() && elements.size() < each; ++column) {
      if (map.wrong(row * map.columns() + column)) {
        elements.push_back(row * map.columns() + column);
      }
    }
  }
  return found;
}

}  // namespace

std::optional<MismatchPattern> find_constant_ratio(const MismatchMap& map) {
  std::vector<double> ratios = ratios_of(map, map.sample());
  if (2 * std::ssize(ratios) < std::ssize(map.sample())) {
    return std::nullopt;
  }
  const double slack = alike(map.type());
  const auto ratio =
      agreed(ratios, kFewestAlike, [slack](double middle) { return slack * std::abs(middle); });
  if (!ratio || *ratio == 0 || std::abs(*ratio - 1) < kSlightlyOff) {
    return std::nullopt;
  }
  return ratio_pattern(map, *ratio, 4);
}

std::optional<MismatchPattern> find_slight_ratio(const MismatchMap& map) {
  std::vector<double> ratios = ratios_of(map, map.sample());
  if (2 * std::ssize(ratios) < std::ssize(map.sample())) {
    return std::nullopt;
  }
  const auto ratio =
      agreed(ratios, kFewestAlike, [](double middle) { return kSteady * std::abs(middle - 1); });
  // Rounding to the type must not blur the ratio.
  if (!ratio || std::abs(*ratio - 1) < 40 * unit_roundoff(map.type())) {
    return std::nullopt;
  }
  MismatchPattern found = ratio_pattern(map, *ratio, 8);
  found.hint =
      "all are off by the same small factor: a count that is off by one (n - 1 for n), a "
      "constant with too few digits, or a scale that is slightly wrong";
  return found;
}

std::optional<MismatchPattern> find_row_ratio(const MismatchMap& map) {
  constexpr std::int64_t kRows = 64;
  constexpr std::size_t kEach = 64;
  const double slack = alike(map.type());
  std::int64_t rows = 0;
  std::int64_t steady = 0;
  std::vector<double> factors;
  for (const auto& [row, elements] : wrong_by_row(map, kRows, kEach)) {
    std::vector<double> ratios = ratios_of(map, elements);
    const auto ratio =
        agreed(ratios, kFewestAlike, [slack](double middle) { return slack * std::abs(middle); });
    ++rows;
    if (ratio && *ratio != 0) {
      ++steady;
      factors.push_back(*ratio);
    }
  }
  if (rows < 3 || 10 * steady < 9 * rows) {
    return std::nullopt;
  }
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  return MismatchPattern{"row_ratio",
                         "each row is the right one times a number of its own, " +
                             significant_digits(*least, 4) + " to " + significant_digits(*most, 4),
                         "what a whole row is divided by or scaled with is wrong or missing: its "
                         "sum, its norm, or a scale that is read at the wrong index"};
}

std::optional<MismatchPattern> find_constant_offset(const MismatchMap& map) {
  std::vector<double> offsets = offsets_of(map);
  std::vector<double> sizes;
  for (const std::int64_t element : map.sample()) {
    sizes.push_back(std::abs(map.want(element)));
  }
  // Beside a far larger number than the right ones, all of these look alike.
  const auto middle_size = sizes.begin() + std::ssize(sizes) / 2;
  std::nth_element(sizes.begin(), middle_size, sizes.end());
  const double size = sizes.empty() ? 0 : *middle_size;
  const double unit = 4 * unit_roundoff(map.type());
  const auto offset = agreed(offsets, kFewestAlike, [size, unit](double middle) {
    return kAlike * std::min(std::abs(middle), size) + unit * (std::abs(middle) + size);
  });
  return offset && *offset != 0 ? std::optional(offset_pattern(map, *offset)) : std::nullopt;
}

std::optional<MismatchPattern> find_slight_offset(const MismatchMap& map) {
  std::vector<double> offsets = offsets_of(map);
  const auto offset =
      agreed(offsets, kFewestAlike, [](double middle) { return kSteady * std::abs(middle); });
  return offset && *offset != 0 ? std::optional(offset_pattern(map, *offset)) : std::nullopt;
}

}  // namespace ws
