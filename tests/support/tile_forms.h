// Kernels of tiles for the smallest problem there is.
#pragma once

#include <string>

#include "tests/support/tool_bench.h"

namespace ws::test {

/// y[i] = 2 * x[i] over f32 x[n], y[n]; n is 1000 and open from 1 to 4096.
Json tile_doubling();

/// {value, type: "i32"}.
Json tile_number(const std::string& value);

/// A kernel with entry `k` on cdiv(n, 128) blocks.
Json tile_kernel(const std::string& language, const std::string& source, const Json& args);

}  // namespace ws::test
