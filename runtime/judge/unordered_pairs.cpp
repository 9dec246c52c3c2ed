#include "runtime/judge/unordered_pairs.h"

#include <cmath>
#include <cstring>

#include "runtime/judge/layout.h"

namespace ws {
namespace {

template <typename T>
T whole_number(std::span<const std::byte> bytes, std::int64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(at) * sizeof value, sizeof value);
  return value;
}

template <typename T>
int order_of(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int order_of_elements(DType type, std::span<const std::byte> a, std::int64_t a_at,
                      std::span<const std::byte> b, std::int64_t b_at) {
  if (type == DType::kI64) {
    return order_of(whole_number<std::int64_t>(a, a_at), whole_number<std::int64_t>(b, b_at));
  }
  if (type == DType::kU64) {
    return order_of(whole_number<std::uint64_t>(a, a_at), whole_number<std::uint64_t>(b, b_at));
  }
  if (type == DType::kBool) {  // Bit for bit, as compare() does: not every byte is a truth.
    return order_of(whole_number<std::uint8_t>(a, a_at), whole_number<std::uint8_t>(b, b_at));
  }
  const double x = load_element(type, a.data(), static_cast<std::size_t>(a_at));
  const double y = load_element(type, b.data(), static_cast<std::size_t>(b_at));
  return std::isnan(x) || std::isnan(y) ? order_of(std::isnan(x), std::isnan(y)) : order_of(x, y);
}

std::vector<std::span<const std::byte>> spans_of(const SortedRows& rows) {
  return {rows.bytes.begin(), rows.bytes.end()};
}

/// The scale of each line of the last dimension.
std::vector<RowScale> scales_of(const BufferSpec& spec, std::span<const std::byte> bytes,
                                const ErrorBound& bound) {
  const RowView view(spec);
  std::vector<RowScale> scales;
  if (bound.exact || spec.elements == 0) {
    return scales;
  }
  std::vector<ScaleSum> lines(static_cast<std::size_t>(view.rows()));
  std::vector<double> values(static_cast<std::size_t>(view.columns()));
  ScaleSum whole;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    load_row(spec.type, bytes.data(), view.row_offset(static_cast<std::int64_t>(line)),
             view.column_stride(), values);
    lines[line].add(values);
    whole.add(lines[line]);
  }
  scales.reserve(lines.size());
  for (const ScaleSum& own : lines) {
    scales.push_back(scale_of_row(own, view.columns(), bound, [&whole] { return whole; }));
  }
  return scales;
}

}  // namespace

std::int64_t row_length(const BufferSpec& spec) {
  std::int64_t length = 1;
  for (std::size_t axis = 1; axis < spec.shape.size(); ++axis) {
    length *= spec.shape[axis];
  }
  return length;
}

std::vector<std::byte> rows_at(std::span<const std::byte> bytes, std::size_t row_bytes,
                               const std::vector<std::int64_t>& places) {
  std::vector<std::byte> rows(places.size() * row_bytes);
  for (std::size_t i = 0; i < places.size() && row_bytes > 0; ++i) {
    std::memcpy(rows.data() + i * row_bytes,
                bytes.data() + static_cast<std::size_t>(places[i]) * row_bytes, row_bytes);
  }
  return rows;
}

int order_of_rows(const std::vector<BufferSpec>& specs, const RowOf& a, const RowOf& b) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::int64_t length = row_length(specs[i]);
    for (std::int64_t column = 0; column < length; ++column) {
      const int order = order_of_elements(specs[i].type, a.bytes[i], a.row * length + column,
                                          b.bytes[i], b.row * length + column);
      if (order != 0) {
        return order;
      }
    }
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::size_t size =
        static_cast<std::size_t>(row_length(specs[i])) * size_of(specs[i].type);
    const int order = std::memcmp(a.bytes[i].data() + static_cast<std::size_t>(a.row) * size,
                                  b.bytes[i].data() + static_cast<std::size_t>(b.row) * size, size);
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

RowPairs::RowPairs(const SortedRows& got, const SortedRows& want,
                   const std::vector<ErrorBound>& bounds)
    : specs_(want.specs),
      bounds_(bounds),
      got_rows_(got.rows()),
      want_rows_(want.rows()),
      got_(spans_of(got)),
      want_(spans_of(want)) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    lengths_.push_back(row_length(specs_[i]));
    scales_.push_back(scales_of(specs_[i], want_[i], bounds_[i]));
  }
}

std::vector<RowColumn> RowPairs::columns() const {
  std::vector<RowColumn> columns;
  for (std::size_t part = 0; part < lengths_.size(); ++part) {
    for (std::int64_t at = 0; at < lengths_[part]; ++at) {
      columns.push_back({part, at});
    }
  }
  return columns;
}

double RowPairs::got_value(RowColumn column, std::int64_t row) const {
  return element_of(specs_[column.part], got_[column.part], place_of(column, row));
}

double RowPairs::want_value(RowColumn column, std::int64_t row) const {
  return element_of(specs_[column.part], want_[column.part], place_of(column, row));
}

double RowPairs::allowed(RowColumn column, std::int64_t want) const {
  const ErrorBound& bound = bounds_[column.part];
  if (bound.exact) {
    return 0;
  }
  const std::int64_t line = place_of(column, want) / specs_[column.part].shape.back();
  const RowScale& scale = scales_[column.part][static_cast<std::size_t>(line)];
  return bound.atol * scale.usual + bound.rtol * std::abs(want_value(column, want)) + scale.hidden;
}

bool RowPairs::within(RowColumn column, std::int64_t got, std::int64_t want) const {
  const DType type = specs_[column.part].type;
  if (!is_float(type)) {
    return order_of_elements(type, got_[column.part], place_of(column, got), want_[column.part],
                             place_of(column, want)) == 0;
  }
  const double x = got_value(column, got);
  const double y = want_value(column, want);
  if (!std::isfinite(x) || !std::isfinite(y)) {
    return std::isnan(x) ? std::isnan(y) : x == y;
  }
  return std::abs(x - y) <= allowed(column, want);
}

bool RowPairs::alike(std::int64_t got, std::int64_t want) {
  for (std::size_t part = 0; part < lengths_.size(); ++part) {
    for (std::int64_t at = 0; at < lengths_[part]; ++at) {
      ++compared_;
      if (!within({part, at}, got, want)) {
        return false;
      }
    }
  }
  return true;
}

int RowPairs::order(std::int64_t want, std::int64_t got) const {
  return order_of_rows(specs_, {want_, want}, {got_, got});
}

bool RowPairs::order_decides() const {
  for (std::size_t part = 0; part + 1 < bounds_.size(); ++part) {
    if (!bounds_[part].exact) {
      return false;
    }
  }
  const ErrorBound& last = bounds_.back();
  return last.exact || (specs_.back().shape.size() == 1 && last.rtol <= 1);
}

}  // namespace ws
