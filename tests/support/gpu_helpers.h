// Runs the helper files that passes import (skills/transformations/lib) on a GPU: what a kernel
// makes of its numbers against what the helpers promise.
#pragma once

#include <span>

#include "tests/support/gpu_form.h"

namespace ws::test {

/// A kernel from A to B, both of 256 x 32 ints; it may include every helper file.
struct GpuHelper {
  GpuForm form;
  int (*expected)(std::span<const int> in, int i);  ///< Element i of B from all of A.
};

/// Each compiles for sm_90a; left out where no toolkit is.
void helpers_compile(std::span<const GpuHelper> helpers);

/// Each computes what is expected; left out where no GPU of sm_90 or newer is.
void helpers_compute(std::span<const GpuHelper> helpers);

}  // namespace ws::test
