#include "runtime/judge/unordered_strips.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ws {
namespace {

constexpr std::size_t kStrip = 256;  ///< Rows.

/// NaN stands beside infinity: alike() tells them apart.
double key_of(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

struct SamplePair {
  std::int64_t got;
  std::int64_t want;
};

/// Some rows of each side, each with each.
std::vector<SamplePair> sample_of(const RowPairs& pairs, const std::vector<std::int64_t>& wanted) {
  constexpr std::int64_t kWants = 128;
  constexpr std::int64_t kGots = 256;
  const auto wants = std::min(kWants, static_cast<std::int64_t>(wanted.size()));
  const auto gots = std::min(kGots, pairs.got_rows());
  std::vector<SamplePair> sample;
  sample.reserve(static_cast<std::size_t>(wants * gots));
  for (std::int64_t i = 0; i < wants; ++i) {
    const auto at = static_cast<std::size_t>(i) * wanted.size() / static_cast<std::size_t>(wants);
    for (std::int64_t j = 0; j < gots; ++j) {
      sample.push_back({j * pairs.got_rows() / gots, wanted[at]});
    }
  }
  return sample;
}

/// The column in which the fewest pairs are close. Only those stay in `sample`.
RowColumn telling_column(const RowPairs& pairs, const std::vector<RowColumn>& columns,
                         std::vector<SamplePair>& sample) {
  const auto far = [&pairs](RowColumn column) {
    return [&pairs, column](const SamplePair& pair) {
      return !pairs.within(column, pair.got, pair.want);
    };
  };
  RowColumn best = columns.front();
  std::ptrdiff_t most = -1;
  for (const RowColumn column : columns) {
    const std::ptrdiff_t count = std::ranges::count_if(sample, far(column));
    if (count > most) {
      most = count;
      best = column;
    }
  }
  std::erase_if(sample, far(best));
  return best;
}

}  // namespace

TellingColumns telling_columns(const RowPairs& pairs, const std::vector<std::int64_t>& wanted) {
  constexpr std::size_t kMostColumns = 64;
  const std::vector<RowColumn> all = pairs.columns();
  std::vector<RowColumn> columns;
  for (std::size_t i = 0; i < std::min(kMostColumns, all.size()); ++i) {
    columns.push_back(all[i * all.size() / std::min(kMostColumns, all.size())]);
  }
  std::vector<SamplePair> sample = sample_of(pairs, wanted);
  const RowColumn first = telling_column(pairs, columns, sample);
  return {first, telling_column(pairs, columns, sample)};
}

RowStrips::RowStrips(const RowPairs& pairs, const TellingColumns& columns)
    : pairs_(pairs),
      columns_(columns) {
  rows_.reserve(static_cast<std::size_t>(pairs.got_rows()));
  for (std::int64_t row = 0; row < pairs.got_rows(); ++row) {
    rows_.push_back({key_of(pairs.got_value(columns.first, row)),
                     key_of(pairs.got_value(columns.second, row)), row});
  }
  std::ranges::sort(rows_, {}, &Keyed::first);
  for (std::size_t begin = 0; begin < rows_.size(); begin += kStrip) {
    const std::size_t end = std::min(begin + kStrip, rows_.size());
    ends_.push_back(rows_[end - 1].first);
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin),
              rows_.begin() + static_cast<std::ptrdiff_t>(end), [](const Keyed& a, const Keyed& b) {
                return a.second != b.second ? a.second < b.second : a.row < b.row;
              });
  }
}

RowStrips::Interval RowStrips::close_to(RowColumn column, std::int64_t want) const {
  const double middle = key_of(pairs_.want_value(column, want));
  if (!std::isfinite(middle)) {
    return {middle, middle};
  }
  // A little wider, as the ends are rounded.
  const double reach = pairs_.allowed(column, want) * (1 + 1e-9) + std::abs(middle) * 1e-15;
  return {middle - reach, middle + reach};
}

std::vector<RowStrips::Range> RowStrips::near(std::int64_t want) const {
  const Interval first = close_to(columns_.first, want);
  const Interval second = close_to(columns_.second, want);
  std::vector<Range> found;
  const auto from =
      static_cast<std::size_t>(std::ranges::lower_bound(ends_, first.low) - ends_.begin());
  for (std::size_t strip = from;
       strip < ends_.size() && (strip == 0 || ends_[strip - 1] <= first.high); ++strip) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(strip * kStrip);
    const auto end =
        rows_.begin() + static_cast<std::ptrdiff_t>(std::min((strip + 1) * kStrip, rows_.size()));
    const auto low = std::ranges::lower_bound(begin, end, second.low, {}, &Keyed::second);
    const auto high = std::ranges::upper_bound(low, end, second.high, {}, &Keyed::second);
    if (low != high) {
      found.push_back({static_cast<std::size_t>(low - rows_.begin()),
                       static_cast<std::size_t>(high - rows_.begin())});
    }
  }
  return found;
}

}  // namespace ws
