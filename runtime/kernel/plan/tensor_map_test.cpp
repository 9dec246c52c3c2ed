#include "runtime/kernel/plan/tensor_map.h"

#include <functional>

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"
#include "runtime/kernel/plan/buffer_spec.h"

namespace ws {
namespace {

const Bindings kNames = {{"m", 100}, {"k", 256}, {"BM", 64}};

/// f16[m][k], row-major.
BufferSpec buffer_a(std::vector<std::int64_t> strides = {}) {
  BufferSpec buffer;
  buffer.name = "A";
  buffer.type = DType::kF16;
  buffer.shape = {100, 256};
  buffer.strides = std::move(strides);
  REQUIRE(measure_buffer(buffer).has_value());
  return buffer;
}

TensorMapSpec whole_map() {
  TensorMapSpec spec;
  spec.name = "tmA";
  spec.of = "A";
  spec.box = {"64", "BM"};
  return spec;
}

Result<TensorMap> resolve(const TensorMapSpec& spec, const BufferSpec& buffer = buffer_a()) {
  return resolve_tensor_map(spec, buffer, 3, kNames, "tensor_maps[0]");
}

struct BadMap {
  std::function<void(TensorMapSpec&)> change;
  const char* want;  ///< After "invalid_argument: tensor_maps[0]".
};

using Texts = std::vector<std::string>;

const std::vector<BadMap>& bad_maps() {
  static const std::vector<BadMap> rows = {
      {[](auto& map) { map.shape = Texts{"k", "m", "1", "1", "1", "1"}; },
       ".shape: 6 dimensions, expected 1 to 5"},
      {[](auto& map) { map.modes.interleave = 1; }, ".shape: 2 dimensions, expected 3 to 5"},
      {[](auto& map) { map.shape = Texts{"k", "m - 100"}; },
       ".shape[1]: `m - 100` is 0, expected at least 1"},
      {[](auto& map) { map.shape = Texts{"2**33", "m"}; },
       ".shape[0]: 8589934592 is not in 1 to 4294967296"},
      {[](auto& map) { map.shape = Texts{"k", "m", "1"}; },
       ".strides: missing, and the map's shape is not that of `A`; give the bytes from one item to "
       "the next of each outer dimension"},
      {[](auto& map) { map.strides = Texts{"2*k", "16"}; },
       ".strides: expected one for each dimension but the innermost, 1 in all"},
      {[](auto& map) { map.strides = Texts{"2*k + 2"}; },
       ".strides[0]: 514 bytes is not a multiple of 16 bytes; pad the rows"},
      {[](auto& map) { map.strides = Texts{"2**40"}; },
       ".strides[0]: 1099511627776 is not in 1 to 1099511627775"},
      {[](auto& map) { map.box = {"64"}; }, ".box: expected one for each dimension, 2 in all"},
      {[](auto& map) { map.box[1] = "257"; }, ".box[1]: 257 is not in 1 to 256"},
      {[](auto& map) { map.box[0] = "12"; }, ".box[0]: 24 bytes is not a multiple of 16 bytes"},
      {[](auto& map) { map.element_strides = Texts{"1"}; },
       ".element_strides: expected one for each dimension, 2 in all"},
      {[](auto& map) { map.element_strides = Texts{"1", "9"}; },
       ".element_strides[1]: 9 is not in 1 to 8"},
      {[](auto& map) { map.modes.swizzle = 2; },
       ".box[0]: 128 bytes is more than the 64 bytes that are swizzled"},
      {[](auto& map) {
         map.modes.interleave = 2;
         map.shape = Texts{"16", "m", "2"};
         map.strides = Texts{"512", "32"};
         map.box = {"16", "BM", "1"};
       },
       ".swizzle: an interleave of 32B needs a swizzle of 32B"},
      {[](auto& map) {
         map.modes.interleave = 2;
         map.modes.swizzle = 1;
         map.shape = Texts{"16", "m", "2"};
         map.strides = Texts{"512", "16"};
         map.box = {"16", "BM", "1"};
       },
       ".strides[1]: 16 bytes is not a multiple of 32 bytes; pad the rows"},
      {[](auto& map) {
         map.type = DType::kU16;
         map.modes.oob = 1;
       },
       ".oob: only a map of floats can be filled with NaN"},
      {[](auto& map) { map.shape = Texts{"k", "m + 1"}; },
       ": the map reaches 51712 bytes into `A`, which has 51200"},
      {[](auto& map) { map.type = DType::kF32; },
       ": the map reaches 51712 bytes into `A`, which has 51200"},
  };
  return rows;
}

}  // namespace

TEST_SUITE("kernel.tensor_map") {
  TEST_CASE("shape, strides and type are the buffer's own, innermost first") {
    const auto map = resolve(whole_map());
    REQUIRE_MESSAGE(map.has_value(), error_text(map));
    CHECK(map->name == "tmA");
    CHECK(map->buffer == 3);
    CHECK(map->type == DType::kF16);
    CHECK(map->shape == std::vector<std::uint64_t>{256, 100});
    CHECK(map->strides == std::vector<std::uint64_t>{512});
    CHECK(map->box == std::vector<std::uint32_t>{64, 64});
    CHECK(map->element_strides == std::vector<std::uint32_t>{1, 1});
    CHECK(resolve(whole_map(), buffer_a({264, 1}))->strides == std::vector<std::uint64_t>{528});
  }

  TEST_CASE("panels of a row may be a dimension of their own") {
    TensorMapSpec spec = whole_map();
    spec.shape = {"64", "m", "k // 64"};
    spec.strides = {"2*k", "128"};
    spec.box = {"64", "BM", "2"};
    spec.element_strides = {"1", "2", "1"};
    spec.modes.swizzle = 3;
    const auto map = resolve(spec);
    REQUIRE_MESSAGE(map.has_value(), error_text(map));
    CHECK(map->shape == std::vector<std::uint64_t>{64, 100, 4});
    CHECK(map->strides == std::vector<std::uint64_t>{512, 128});
    CHECK(map->element_strides == std::vector<std::uint32_t>{1, 2, 1});
    CHECK(map->modes.swizzle == 3);
  }

  TEST_CASE("a map that the hardware cannot walk is refused, with the field and why") {
    for (const BadMap& row : bad_maps()) {
      TensorMapSpec spec = whole_map();
      row.change(spec);
      CHECK(error_text(resolve(spec)) ==
            "invalid_argument: tensor_maps[0]" + std::string(row.want));
    }
  }

  TEST_CASE("a buffer whose innermost elements are no neighbours has no map of its own shape") {
    CHECK(error_text(resolve(whole_map(), buffer_a({1, 100}))) ==
          "invalid_argument: tensor_maps[0].strides: the innermost dimension of `A` has gaps; a "
          "tensor map needs neighbours there");
  }
}

}  // namespace ws
