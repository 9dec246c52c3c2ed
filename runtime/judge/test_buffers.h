// Host buffers for the tests of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/kernel/plan/plan.h"

namespace ws {

/// A row-major buffer without gaps.
inline BufferSpec dense_spec(DType type, std::vector<std::int64_t> shape) {
  BufferSpec spec;
  spec.name = "C";
  spec.type = type;
  spec.role = BufferRole::kOut;
  spec.strides.resize(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    spec.strides[axis] = spec.elements;
    spec.elements *= shape[axis];
  }
  spec.shape = std::move(shape);
  spec.span = spec.elements;
  return spec;
}

/// Rows `pitch` elements apart: gaps of pitch - columns elements after all rows but the last.
inline BufferSpec pitched_spec(DType type, std::int64_t rows, std::int64_t columns,
                               std::int64_t pitch) {
  BufferSpec spec = dense_spec(type, {rows, columns});
  spec.strides = {pitch, 1};
  spec.span = (rows - 1) * pitch + columns;
  return spec;
}

/// A spec with the bytes it describes, zero at first.
struct TestBuffer {
  BufferSpec spec;
  std::vector<std::byte> bytes;

  explicit TestBuffer(BufferSpec layout)
      : spec(std::move(layout)),
        bytes(spec.bytes()) {}

  /// Element at `offset` from the buffer's start, gaps counted.
  [[nodiscard]] double get(std::int64_t offset) const {
    return load_element(spec.type, bytes.data(), static_cast<std::size_t>(offset));
  }

  void set(std::int64_t offset, double value) {
    store_element(spec.type, bytes.data(), static_cast<std::size_t>(offset), value);
  }

  [[nodiscard]] std::span<std::byte> span() { return bytes; }

  [[nodiscard]] std::span<const std::byte> view() const { return bytes; }
};

}  // namespace ws
