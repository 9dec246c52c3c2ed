#include "runtime/reference/wire.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/base/parallel.h"
#include "runtime/judge/layout.h"

namespace ws {
namespace {

/// Elements that are copied by one core at a time.
constexpr std::int64_t kPart = std::int64_t{1} << 17U;
/// Elements that are doubles in between: some that stay in the cache.
constexpr std::int64_t kChunk = 4096;

/// A row of elements, `stride` apart.
template <typename Bytes>
struct Row {
  DType type;
  Bytes bytes;
  std::int64_t first;
  std::int64_t stride;
};

/// Equal types are copied bit for bit, as i64 does not fit into a double.
/// @param values  kChunk of them, for the time of the call.
void copy_row(const Row<std::span<const std::byte>>& from, const Row<std::span<std::byte>>& to,
              std::int64_t count, std::span<double> values) {
  const auto bytes = static_cast<std::int64_t>(size_of(from.type));
  if (from.type == to.type) {
    const bool whole = from.stride == 1 && to.stride == 1;
    for (std::int64_t i = 0; i < (whole ? 1 : count); ++i) {
      std::memcpy(to.bytes.data() + (to.first + i * to.stride) * bytes,
                  from.bytes.data() + (from.first + i * from.stride) * bytes,
                  static_cast<std::size_t>(whole ? count * bytes : bytes));
    }
    return;
  }
  for (std::int64_t at = 0; at < count; at += kChunk) {
    const auto some = values.first(static_cast<std::size_t>(std::min(kChunk, count - at)));
    load_row(from.type, from.bytes.data(), from.first + at * from.stride, from.stride, some);
    store_row(to.type, to.bytes.data(), to.first + at * to.stride, to.stride, some);
  }
}

/// Calls copy(offset, stride, element, count, values) for the pieces of rows of which `spec`
/// consists: where a piece begins, how far its elements are apart, the number of its first one, how
/// many it has, and kChunk values for the time of the call. On all cores where no two elements
/// share a place.
template <typename Copy>
void for_all_rows(const BufferSpec& spec, const Copy& copy) {
  const RowView rows(spec);
  const auto parts = static_cast<std::size_t>((spec.elements + kPart - 1) / kPart);
  const auto one = [&](std::size_t part) {
    std::int64_t element = static_cast<std::int64_t>(part) * kPart;
    std::vector<double> values(kChunk);  // Once for many rows, which may be short.
    rows.for_rows(element, std::min(spec.elements, element + kPart),
                  [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
                    copy(rows.row_offset(row) + begin * rows.column_stride(), rows.column_stride(),
                         element, end - begin, values);
                    element += end - begin;
                  });
  };
  if (spec.contiguous()) {
    return parallel_for(parts, one);
  }
  for (std::size_t part = 0; part < parts; ++part) {
    one(part);
  }
}

}  // namespace

HostTensor host_tensor(const BufferSpec& spec, HostLanguage language) {
  HostTensor tensor{spec.name, spec.type, spec.role, spec.shape, spec.type, 0};
  if (!is_float(spec.type)) {
    return tensor;
  }
  const bool known_to_numpy = spec.type == DType::kF64 || spec.type == DType::kF16;
  if (spec.role != BufferRole::kIn) {
    tensor.wire = DType::kF64;
  } else if (language == HostLanguage::kPython && !known_to_numpy) {
    tensor.wire = DType::kF32;
  }
  return tensor;
}

BufferSpec wire_spec(const HostTensor& tensor) {
  BufferSpec spec;
  spec.name = tensor.name;
  spec.type = tensor.wire;
  spec.role = tensor.role;
  spec.shape = tensor.shape;
  for (const std::int64_t extent : tensor.shape) {
    spec.elements *= extent;
  }
  spec.span = spec.elements;
  spec.strides.resize(tensor.shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = tensor.shape.size(); i > 0; --i) {
    spec.strides[i - 1] = stride;
    stride *= tensor.shape[i - 1];
  }
  return spec;
}

void to_wire(const BufferSpec& spec, std::span<const std::byte> from, const HostTensor& tensor,
             std::span<std::byte> to) {
  for_all_rows(spec, [&](std::int64_t offset, std::int64_t stride, std::int64_t element,
                         std::int64_t count, std::span<double> values) {
    copy_row({spec.type, from, offset, stride}, {tensor.wire, to, element, 1}, count, values);
  });
}

void from_wire(const HostTensor& tensor, std::span<const std::byte> from, const BufferSpec& spec,
               std::span<std::byte> to) {
  for_all_rows(spec, [&](std::int64_t offset, std::int64_t stride, std::int64_t element,
                         std::int64_t count, std::span<double> values) {
    copy_row({tensor.wire, from, element, 1}, {spec.type, to, offset, stride}, count, values);
  });
}

}  // namespace ws
