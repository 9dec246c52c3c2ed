// Programs in CuIR for tests of the tools that take them.
#pragma once

#include <string>

#include <doctest/doctest.h>

namespace ws::test {

/// Y = 2 X, without a problem.
inline const std::string kDoubling =
    "class Twice(KernelBase):\n    def __init__(self, X: f32[64, 32], Y: f32[64, 32]):\n"
    "        self.gridDim = (2, 1, 1)\n        self.X = X\n        self.Y = Y\n\n"
    "    def run(self):\n        x = load(self.X, (blockIdx.x, 0), (32, 32))\n"
    "        store(self.Y, (blockIdx.x, 0), x * 2.0)\n";

/// `text` with the first `old` replaced, which must be there.
inline std::string replaced(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), now);
}

}  // namespace ws::test
