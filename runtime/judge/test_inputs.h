// Inputs that are drawn, for the tests of this folder.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/judge/inputs.h"
#include "runtime/judge/test_buffers.h"

namespace ws {

/// An input called `A`.
inline ArgSpec argument(DType type, Fill fill) {
  ArgSpec arg;
  arg.name = "A";
  arg.type = type;
  arg.fill = std::move(fill);
  return arg;
}

/// Its elements, drawn. @param length  The reduction length of fill_input().
inline std::vector<double> filled(const ArgSpec& arg, std::vector<std::int64_t> shape,
                                  Distribution distribution, double length = 1024,
                                  std::uint64_t seed = 1) {
  TestBuffer buffer(dense_spec(arg.type, std::move(shape)));
  REQUIRE(fill_input(arg, buffer.spec, distribution, seed, buffer.span(), length).has_value());
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(buffer.spec.elements));
  for (std::int64_t i = 0; i < buffer.spec.elements; ++i) {
    values.push_back(buffer.get(i));
  }
  return values;
}

}  // namespace ws
