#include "runtime/judge/unordered_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ws {

RowColumn telling_column(const RowPairs& pairs, const std::vector<std::int64_t>& wanted) {
  constexpr std::int64_t kMostColumns = 64;
  constexpr std::int64_t kWants = 128;
  constexpr std::int64_t kGots = 256;
  const auto stride = [](std::size_t count, std::int64_t most) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(count) / most);
  };
  const std::vector<RowColumn> columns = pairs.columns();
  const std::int64_t step = stride(wanted.size(), kWants);
  const std::int64_t got_step = stride(static_cast<std::size_t>(pairs.got_rows()), kGots);
  RowColumn best = columns.front();
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t c = 0; c < columns.size();
       c += static_cast<std::size_t>(stride(columns.size(), kMostColumns))) {
    std::int64_t close = 0;
    for (std::size_t i = 0; i < wanted.size(); i += static_cast<std::size_t>(step)) {
      for (std::int64_t got = 0; got < pairs.got_rows(); got += got_step) {
        close += pairs.within(columns[c], got, wanted[i]) ? 1 : 0;
      }
    }
    if (close < fewest) {
      fewest = close;
      best = columns[c];
    }
  }
  return best;
}

RowsByColumn::RowsByColumn(const RowPairs& pairs, RowColumn column)
    : pairs_(pairs),
      column_(column) {
  for (std::int64_t row = 0; row < pairs.got_rows(); ++row) {
    rows_.push_back({pairs.got_value(column, row), row});
  }
  const auto numbers =
      std::ranges::partition(rows_, [](const Keyed& row) { return !std::isnan(row.key); });
  numbers_ = static_cast<std::size_t>(numbers.begin() - rows_.begin());
  std::sort(rows_.begin(), numbers.begin(), [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.row < b.row;
  });
}

RowsByColumn::Range RowsByColumn::near(std::int64_t want) const {
  const double middle = pairs_.want_value(column_, want);
  if (std::isnan(middle)) {
    return {numbers_, rows_.size()};
  }
  // A little wider, as the ends are rounded.
  const double reach = std::isfinite(middle)
                           ? pairs_.allowed(column_, want) * (1 + 1e-9) + std::abs(middle) * 1e-15
                           : 0;
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(numbers_);
  const auto first =
      std::lower_bound(rows_.begin(), end, middle - reach,
                       [](const Keyed& row, double value) { return row.key < value; });
  const auto last = std::upper_bound(
      first, end, middle + reach, [](double value, const Keyed& row) { return value < row.key; });
  return {static_cast<std::size_t>(first - rows_.begin()),
          static_cast<std::size_t>(last - rows_.begin())};
}

}  // namespace ws
