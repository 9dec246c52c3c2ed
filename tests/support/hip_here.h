// Whether kernels can be compiled for AMD's GPUs here.
#pragma once

#include <doctest/doctest.h>

#include "runtime/compile/hip_kit.h"

namespace ws::test {

/// Says so once where they cannot.
inline bool hiprtc_is_here() {
  static const bool here = [] {
    const auto kit = find_hip_kit({});
    if (!kit) {
      MESSAGE("left out: compiling for AMD's GPUs (" << kit.error().message << ")");
    }
    return kit.has_value();
  }();
  return here;
}

}  // namespace ws::test
