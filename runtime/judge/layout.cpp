#include "runtime/judge/layout.h"

#include <cstring>

namespace ws {
namespace {

template <typename T>
void load_as(const void* data, std::int64_t first, std::int64_t stride, std::span<double> out) {
  const auto* at = static_cast<const std::byte*>(data) + first * std::int64_t{sizeof(T)};
  for (double& value : out) {
    T element;
    std::memcpy(&element, at, sizeof element);
    value = static_cast<double>(element);
    at += stride * std::int64_t{sizeof(T)};
  }
}

template <typename T>
void store_as(void* data, std::int64_t first, std::int64_t stride, std::span<const double> values) {
  auto* at = static_cast<std::byte*>(data) + first * std::int64_t{sizeof(T)};
  for (const double value : values) {
    const auto element = static_cast<T>(value);
    std::memcpy(at, &element, sizeof element);
    at += stride * std::int64_t{sizeof(T)};
  }
}

/// Values of all bit patterns of a type of two bytes.
/// Built on first use; any thread.
template <DType kType>
const std::vector<double>& decoded_table() {
  static const std::vector<double> table = [] {
    std::vector<double> values(std::size_t{1} << 16U);
    for (std::size_t bits = 0; bits < values.size(); ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      values[bits] = load_element(kType, &pattern, 0);
    }
    return values;
  }();
  return table;
}

void load_decoded(const std::vector<double>& table, const void* data, std::int64_t first,
                  std::int64_t stride, std::span<double> out) {
  const auto* at = static_cast<const std::byte*>(data) + 2 * first;
  for (double& value : out) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    value = table[bits];
    at += 2 * stride;
  }
}

}  // namespace

RowView::RowView(const BufferSpec& spec)
    : spec_(&spec) {
  std::int64_t expected = 1;
  for (std::size_t axis = spec.shape.size(); axis-- > 0;) {
    dense_ = dense_ && spec.strides[axis] == expected;
    expected *= spec.shape[axis];
  }
  if (!spec.shape.empty()) {
    columns_ = spec.shape.back();
    column_stride_ = spec.strides.back();
    rows_ = columns_ == 0 ? 0 : spec.elements / columns_;
  }
}

std::int64_t RowView::row_offset(std::int64_t row) const {
  if (dense_) {
    return row * columns_;
  }
  std::int64_t offset = 0;
  for (std::size_t axis = spec_->shape.size() - 1; axis-- > 0;) {
    offset += row % spec_->shape[axis] * spec_->strides[axis];
    row /= spec_->shape[axis];
  }
  return offset;
}

std::vector<std::int64_t> RowView::index_of(std::int64_t element) const {
  std::vector<std::int64_t> index(spec_->shape.size());
  for (std::size_t axis = index.size(); axis-- > 0;) {
    index[axis] = element % spec_->shape[axis];
    element /= spec_->shape[axis];
  }
  return index;
}

void load_row(DType type, const void* data, std::int64_t first, std::int64_t stride,
              std::span<double> out) {
  if (type == DType::kF32 || type == DType::kTf32) {
    return load_as<float>(data, first, stride, out);
  }
  if (type == DType::kF64) {
    return load_as<double>(data, first, stride, out);
  }
  if (type == DType::kI32) {
    return load_as<std::int32_t>(data, first, stride, out);
  }
  if (type == DType::kF16) {
    return load_decoded(decoded_table<DType::kF16>(), data, first, stride, out);
  }
  if (type == DType::kBf16) {
    return load_decoded(decoded_table<DType::kBf16>(), data, first, stride, out);
  }
  for (double& value : out) {
    value = load_element(type, data, static_cast<std::size_t>(first));
    first += stride;
  }
}

void store_row(DType type, void* data, std::int64_t first, std::int64_t stride,
               std::span<const double> values) {
  if (type == DType::kF32) {
    return store_as<float>(data, first, stride, values);
  }
  if (type == DType::kF64) {
    return store_as<double>(data, first, stride, values);
  }
  for (const double value : values) {
    store_element(type, data, static_cast<std::size_t>(first), value);
    first += stride;
  }
}

std::vector<bool> used_elements(const BufferSpec& spec) {
  std::vector<bool> used(static_cast<std::size_t>(spec.span), false);
  const RowView view(spec);
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    std::int64_t offset = view.row_offset(row);
    for (std::int64_t column = 0; column < view.columns(); ++column) {
      used[static_cast<std::size_t>(offset)] = true;
      offset += view.column_stride();
    }
  }
  return used;
}

}  // namespace ws
