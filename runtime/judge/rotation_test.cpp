#include "runtime/judge/rotation.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

struct Row {
  const char* name;
  const char* fill;
  BufferRole role;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t step;
};

const Row kRows[] = {
    {"many rows", "normal", BufferRole::kIn, {16, 5}, {5, 1}, 5},
    {"many planes", "uniform", BufferRole::kInout, {4, 4, 7}, {28, 7, 1}, 7},
    {"few rows", "normal", BufferRole::kIn, {15, 5}, {5, 1}, 1},
    {"few rows that are written, too", "normal", BufferRole::kInout, {15, 5}, {5, 1}, 5},
    {"one row that is", "normal", BufferRole::kInout, {15}, {1}, 1},
    {"columns that are", "normal", BufferRole::kInout, {20, 30}, {1, 20}, 0},
    {"one row", "range", BufferRole::kIn, {100}, {1}, 1},
    {"columns first", "normal", BufferRole::kIn, {20, 30}, {1, 20}, 1},
    {"gaps between rows", "normal", BufferRole::kIn, {20, 30}, {32, 1}, 0},
    {"one element", "normal", BufferRole::kIn, {}, {}, 0},
    {"no element", "normal", BufferRole::kIn, {0, 5}, {5, 1}, 0},
    {"an output", "normal", BufferRole::kOut, {100}, {1}, 0},
    {"scratch", "normal", BufferRole::kScratch, {100}, {1}, 0},
    {"ascending values", "iota", BufferRole::kIn, {100}, {1}, 0},
    {"row offsets", "sorted_offsets", BufferRole::kIn, {100}, {1}, 0},
    {"a diagonal", "structured", BufferRole::kIn, {20, 20}, {20, 1}, 0},
};

BufferSpec spec_of(const Row& row) {
  BufferSpec spec{.name = "x", .role = row.role, .shape = row.shape, .strides = row.strides};
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < row.shape.size(); ++axis) {
    spec.elements *= row.shape[axis];
    last += (row.shape[axis] - 1) * row.strides[axis];
  }
  spec.span = spec.elements == 0 ? 0 : last + 1;
  return spec;
}

}  // namespace

TEST_SUITE("judge.rotation") {
  TEST_CASE("only values that are drawn one by one, without gaps, are rotated") {
    for (const Row& row : kRows) {
      CAPTURE(row.name);
      ArgSpec arg;
      arg.fill.kind = row.fill;
      CHECK(rotation_step(arg, spec_of(row)) == row.step);
    }
  }
}

}  // namespace ws
