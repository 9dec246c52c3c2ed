// Between the buffers of kernels and the plain elements of host programs.
#include "runtime/reference/wire.h"

#include <cstring>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include "runtime/judge/layout.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

TEST_SUITE("reference.wire") {
  /// Checks that elements which to_wire() and from_wire() copy are those of `buffer`, which has
  /// more elements than one core copies at a time, and that gaps stay as they were.
  void check_copies(TestBuffer buffer, DType wire_type, BufferRole role = BufferRole::kIn) {
    const RowView view(buffer.spec);
    for (std::int64_t i = 0; i < buffer.spec.elements; ++i) {
      buffer.set(view.offset_of(i), static_cast<double>(i % 251 - 100));
    }
    buffer.spec.role = role;
    const HostTensor tensor = host_tensor(buffer.spec, HostLanguage::kPython);
    CHECK(tensor.wire == wire_type);
    TestBuffer wire(wire_spec(tensor));
    to_wire(buffer.spec, buffer.view(), tensor, wire.span());
    std::int64_t differ = 0;
    for (std::int64_t i = 0; i < wire.spec.elements; ++i) {
      differ += wire.get(i) == static_cast<double>(i % 251 - 100) ? 0 : 1;
    }
    CHECK(differ == 0);
    TestBuffer back(buffer.spec);
    std::memset(back.bytes.data(), 0x5a, back.bytes.size());
    TestBuffer expected = back;
    for (std::int64_t i = 0; i < buffer.spec.elements; ++i) {
      expected.set(view.offset_of(i), buffer.get(view.offset_of(i)));
    }
    from_wire(tensor, wire.view(), buffer.spec, back.span());
    CHECK(back.bytes == expected.bytes);
  }

  TEST_CASE("large buffers of all layouts are copied element by element") {
    check_copies(TestBuffer(dense_spec(DType::kBf16, {300, 1001})), DType::kF32);
    check_copies(TestBuffer(dense_spec(DType::kF32, {1, 300'001})), DType::kF32);
    check_copies(TestBuffer(dense_spec(DType::kBf16, {300'001})), DType::kF32);
    check_copies(TestBuffer(dense_spec(DType::kBf16, {300'001, 1})), DType::kF32);
    check_copies(TestBuffer(dense_spec(DType::kF16, {300'001, 1})), DType::kF16);
    check_copies(TestBuffer(pitched_spec(DType::kF32, 3, 9001, 9003)), DType::kF64,
                 BufferRole::kInout);
    check_copies(TestBuffer(pitched_spec(DType::kBf16, 257, 1000, 1003)), DType::kF32);
    check_copies(TestBuffer(pitched_spec(DType::kI16, 257, 1000, 1003)), DType::kI16);
    TestBuffer columns(dense_spec(DType::kBf16, {600, 500}));
    columns.spec.strides = {1, 600};
    check_copies(std::move(columns), DType::kF32);
    TestBuffer wide(dense_spec(DType::kBf16, {20, 9001}));
    wide.spec.strides = {1, 20};
    check_copies(std::move(wide), DType::kF32);
    check_copies(TestBuffer(dense_spec(DType::kF32, {0, 7})), DType::kF32);
    check_copies(TestBuffer(dense_spec(DType::kF32, {})), DType::kF32);
  }

  TEST_CASE("integers beyond 2^53 keep all their bits") {
    TestBuffer buffer(dense_spec(DType::kI64, {3}));
    const std::int64_t large = (std::int64_t{1} << 62) + 1;
    std::memcpy(buffer.bytes.data() + 8, &large, sizeof large);
    const HostTensor tensor = host_tensor(buffer.spec, HostLanguage::kPython);
    TestBuffer wire(wire_spec(tensor));
    to_wire(buffer.spec, buffer.view(), tensor, wire.span());
    CHECK(wire.bytes == buffer.bytes);
  }

  TEST_CASE("a program's doubles are rounded once to what the buffer holds") {
    TestBuffer buffer(dense_spec(DType::kBf16, {4}));
    const HostTensor tensor = host_tensor(buffer.spec, HostLanguage::kPython);
    CHECK(tensor.wire == DType::kF64);
    TestBuffer wire(wire_spec(tensor));
    const double tie = 1 + 0x1p-8;  // Between 1 and the next number of bf16, and a little beyond.
    wire.set(0, tie);
    wire.set(1, tie + 0x1p-40);  // As f32 it would be the tie.
    wire.set(2, -1e300);
    from_wire(tensor, wire.view(), buffer.spec, buffer.span());
    CHECK(buffer.get(0) == 1);
    CHECK(buffer.get(1) == 1 + 0x1p-7);
    CHECK(buffer.get(2) == -std::numeric_limits<double>::infinity());
    CHECK(buffer.get(3) == 0);
  }
}

}  // namespace ws
