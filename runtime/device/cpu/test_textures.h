// Launches with a texture, for tests of the CPU engine.
#pragma once

#include <algorithm>
#include <string>

#include "tests/support/engine_bench.h"

namespace ws::test {

/// The argument that is the first of a run's buffers.
inline LaunchArg first_buffer() {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::kBuffer;
  arg.buffer = 0;
  arg.text = "y";
  return arg;
}

/// The argument that is the first of a run's textures.
inline LaunchArg first_texture() {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::kTexture;
  arg.texture = 0;
  arg.text = "x";
  return arg;
}

struct Dimensions {
  const char* read;  ///< An expression over the texture t and the coordinates c[0] to c[2].
  std::array<std::uint32_t, 3> size;
};

/// Reads a texture of floats, which is the second buffer, at the places in the third one.
inline EngineRun reader(const Dimensions& dimensions, const TextureModes& modes,
                        std::int64_t points) {
  EngineRun run;
  run.source = std::string(
                   "__global__ void k(float* y, cudaTextureObject_t t, const float* at, int n) {\n"
                   "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
                   "    const float* c = at + 3 * i;\n    y[i] = ") +
               dimensions.read + ";\n  }\n}\n";
  run.entry = "k";
  run.block = {32, 1, 1};
  const auto& [width, height, depth] = dimensions.size;
  const std::int64_t texels = std::int64_t{width} * std::max(height, 1U) * std::max(depth, 1U);
  run.buffers = {buffer_of("y", DType::kF32, points), buffer_of("x", DType::kF32, texels),
                 buffer_of("at", DType::kF32, 3 * points)};
  run.textures = {Texture{.buffer = 1, .size = dimensions.size, .modes = modes}};
  LaunchArg places = first_buffer();
  places.buffer = 2;
  LaunchArg number;
  number.int_value = points;
  run.args = {first_buffer(), first_texture(), places, number};
  return run;
}

}  // namespace ws::test
