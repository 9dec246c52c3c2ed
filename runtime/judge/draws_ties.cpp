#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "runtime/judge/draws.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

/// The values of an input: a row has two of them.
constexpr std::size_t kValues = 4;

using Value = std::vector<std::byte>;

/// Puts two different ones of a range's ends and zero in the place of the last values: integers
/// overflow at the ends of their type, and zero has no leading bit.
void add_ends(const Canvas& canvas, std::array<Value, kValues>& values, Random& random) {
  const FillRow& row = *find_fill(canvas.arg.fill.kind);
  const double high = row.kind == FillKind::kRange ? fill_param(canvas.arg, row, "high") : NAN;
  if (std::isnan(high)) {
    return;
  }
  const double low = fill_param(canvas.arg, row, "low");
  const double last = std::max(low, high - 1);
  const std::set<double> different = {low, last, std::clamp(0.0, low, last)};
  std::vector<double> ends(different.begin(), different.end());
  if (ends.size() > 2) {
    ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(random.below(ends.size())));
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    store_element(canvas.spec.type, values.at(kValues - 1 - i).data(), 0, ends[i]);
  }
}

/// The number of a value that differs from value `one`; `one` itself where all are equal.
std::size_t another_than(std::size_t one, const std::array<Value, kValues>& values,
                         Random& random) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < kValues; ++i) {
    if (values.at(i) != values.at(one)) {
      others.push_back(i);
    }
  }
  return others.empty() ? one : others[random.below(others.size())];
}

}  // namespace

Status draw_ties(const Canvas& canvas) {
  WS_CHECK(draw_declared(canvas));
  const auto elements = static_cast<std::uint64_t>(canvas.spec.elements);
  if (elements == 0) {
    return {};
  }
  const RowView view(canvas.spec);
  const std::size_t bytes = size_of(canvas.spec.type);
  const auto place = [&](std::int64_t offset) {
    return canvas.bytes.data() + static_cast<std::size_t>(offset) * bytes;
  };
  Random random(~canvas.seed);
  std::array<Value, kValues> values;
  for (Value& value : values) {
    const std::byte* drawn =
        place(view.offset_of(static_cast<std::int64_t>(random.below(elements))));
    value.assign(drawn, drawn + bytes);
  }
  add_ends(canvas, values, random);
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    const std::size_t one = random.below(kValues);
    const std::array pair = {one, another_than(one, values, random)};
    std::uint64_t first = 0;  // One of each two neighbours has the first value.
    for (std::int64_t column = 0; column < view.columns(); ++column) {
      first = column % 2 == 0 ? random.below(2) : 1 - first;
      std::memcpy(place(view.row_offset(row) + column * view.column_stride()),
                  values.at(pair.at(first)).data(), bytes);
    }
  }
  return {};
}

}  // namespace ws
