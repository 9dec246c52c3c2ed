// tb-tiling of the naive matrix product by scripted edits.
#pragma once

#include <string>

#include "tests/support/tool_bench.h"

namespace ws::test {

/// examples/kernels/matmul/NAME.json
Json matmul_example(const std::string& name);

/// An edit in place of the lines [from, to], which read `old`.
Json replace_edit(int from, int to, const std::string& old, const std::string& text);

/// An edit that puts `text` before line `from`.
Json insert_edit(int from, const std::string& text);

/// The first pass's arguments: macros and plan.
Json tile_sizes();

/// Those of each later pass, 2 to 6. The kernel's source has a line of comment before the
/// example's.
Json scripted_pass(int pass);

}  // namespace ws::test
