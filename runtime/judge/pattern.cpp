#include "runtime/judge/pattern.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/numbers.h"
#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

constexpr std::int64_t kSampleSize = 4096;

using Detector = std::optional<MismatchPattern> (*)(const MismatchMap&);

// Tried in this order; the first that is sure wins. Rounding comes first: errors of its size lie
// anywhere, and their places mean nothing.
constexpr Detector kDetectors[] = {
    find_imprecise,  find_tail,      find_single_element, find_transposed,
    find_shifted,    find_every_kth, find_faint,          find_unwritten,
    find_not_finite, find_all_zero,  find_constant_ratio, find_constant_offset,
    find_row_ratio,  find_one_block,
};

constexpr std::string_view kCodes[] = {
    "imprecise",      "tail_rows",      "tail_columns",    "tail_rows_and_columns",
    "tail_elements",  "single_element", "transposed",      "shifted_by_one",
    "every_kth",      "unwritten",      "not_finite",      "all_zero",
    "constant_ratio", "row_ratio",      "constant_offset", "one_block",
    "everywhere",     "scattered",      kMissingRows,
};

/// Errors of at most this much of a row's size are called small.
constexpr double kSmall = 0.1;

std::string percent(double share) {
  const std::int64_t tenths = std::llround(share * 1000);
  if (tenths == 0) {
    return "less than 0.1 %";
  }
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string range_words(const std::string& noun, std::int64_t first, std::int64_t last) {
  return first == last ? noun + " " + std::to_string(first)
                       : noun + "s " + std::to_string(first) + " to " + std::to_string(last);
}

MismatchPattern fallback(const MismatchMap& map) {
  const std::string share = percent(map.result().share()) + " of all";
  if (map.result().share() > 0.9) {
    return {"everywhere",
            "nearly all elements are wrong (" + share +
                "), with no simple relation to the correct values",
            "compute the worst element by hand: check the formula, the index of each load, and the "
            "order of the arguments"};
  }
  const std::string text = counted(map.count(), "element") + " (" + share + ") " +
                           (map.count() == 1 ? "is" : "are") + " wrong in no regular place";
  const Comparison& result = map.result();
  if (is_float(map.type()) && result.class_mismatches == 0 && result.unwritten == 0 &&
      result.max_rel_error <= kSmall) {
    return {
        "scattered",
        text + ", by at most " + significant_digits(result.max_rel_error, 2) + " of its row's size",
        "the errors are small: look for arithmetic that is too coarse, and for a few terms of a "
        "sum that are left out or added twice"};
  }
  return {"scattered", text,
          "suspect a race or a missing __syncthreads(), an uninitialised variable, or a branch "
          "that few values take"};
}

}  // namespace

MismatchMap::MismatchMap(const BufferSpec& spec, std::span<const std::byte> got,
                         std::span<const std::byte> want, const Comparison& result,
                         const std::vector<std::string>& shape)
    : spec_(spec),
      view_(spec),
      got_(got),
      want_(want),
      result_(result),
      shape_(shape),
      by_row_(static_cast<std::size_t>(view_.rows())),
      by_column_(static_cast<std::size_t>(view_.columns())),
      box_{view_.rows(), -1, view_.columns(), -1} {
  const std::int64_t step = std::max<std::int64_t>(1, result.mismatches / kSampleSize);
  std::int64_t seen = 0;
  std::int64_t element = 0;
  for (std::int64_t row = 0; row < view_.rows(); ++row) {
    for (std::int64_t column = 0; column < view_.columns(); ++column, ++element) {
      if (!wrong(element)) {
        continue;
      }
      ++by_row_[static_cast<std::size_t>(row)];
      ++by_column_[static_cast<std::size_t>(column)];
      box_ = {std::min(box_.first_row, row), std::max(box_.last_row, row),
              std::min(box_.first_column, column), std::max(box_.last_column, column)};
      if (seen++ % step == 0) {
        sample_.push_back(element);
      }
    }
  }
}

std::string MismatchMap::row_size() const {
  return shape_.size() == 2 ? shape_.front() : std::to_string(rows());
}

std::string MismatchMap::column_size() const {
  return shape_.empty() ? std::to_string(columns()) : shape_.back();
}

std::string MismatchMap::box_words() const {
  const std::string columns =
      range_words(is_line() ? "element" : "column", box_.first_column, box_.last_column);
  return is_line() ? columns : range_words("row", box_.first_row, box_.last_row) + ", " + columns;
}

std::string MismatchMap::place_words() const {
  return fills_a_box() ? " (" + box_words() + ")" : "";
}

std::string MismatchMap::unwritten_words() const {
  return mostly_unwritten() ? " and never written" : "";
}

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::span<const std::string_view> pattern_codes() {
  return kCodes;
}

bool is_rounding(const MismatchPattern& pattern) {
  return pattern.code == "imprecise";
}

MismatchPattern describe_mismatch(const BufferSpec& spec, std::span<const std::byte> got,
                                  std::span<const std::byte> want, const Comparison& result,
                                  const std::vector<std::string>& shape) {
  const MismatchMap map(spec, got, want, result, shape);
  for (const Detector detector : kDetectors) {
    if (auto pattern = detector(map)) {
      return *std::move(pattern);
    }
  }
  return fallback(map);
}

}  // namespace ws
