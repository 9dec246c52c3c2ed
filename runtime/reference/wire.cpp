#include "runtime/reference/wire.h"

#include <cstring>

#include "runtime/judge/layout.h"

namespace ws {
namespace {

/// Element by element; equal types are copied bit for bit, as i64 does not fit into a double.
template <typename FromOffset, typename ToOffset>
void copy_elements(std::int64_t count, DType from_type, std::span<const std::byte> from,
                   FromOffset from_offset, DType to_type, std::span<std::byte> to,
                   ToOffset to_offset) {
  const std::size_t bytes = size_of(from_type);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto source = static_cast<std::size_t>(from_offset(i));
    const auto target = static_cast<std::size_t>(to_offset(i));
    if (from_type == to_type) {
      std::memcpy(to.data() + target * bytes, from.data() + source * bytes, bytes);
    } else {
      store_element(to_type, to.data(), target, load_element(from_type, from.data(), source));
    }
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
  const RowView rows(spec);
  copy_elements(
      spec.elements, spec.type, from, [&](std::int64_t i) { return rows.offset_of(i); },
      tensor.wire, to, [](std::int64_t i) { return i; });
}

void from_wire(const HostTensor& tensor, std::span<const std::byte> from, const BufferSpec& spec,
               std::span<std::byte> to) {
  const RowView rows(spec);
  copy_elements(
      spec.elements, tensor.wire, from, [](std::int64_t i) { return i; }, spec.type, to,
      [&](std::int64_t i) { return rows.offset_of(i); });
}

}  // namespace ws
