// Fetches, layers, types and builds: what else a kernel may do with a texture.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/device/cpu/test_textures.h"

namespace ws::test {

TEST_SUITE("device.cpu.texture_reads") {
  TEST_CASE("a fetch gives zero outside, and a layer that is not there is the last one") {
    const EngineRun run =
        reader({"tex1Dfetch<float>(t, (int)c[0])", {4, 0, 0}}, {.fetch = true}, 4);
    const EngineResult result = run_engine(run, [](EngineResult& made) {
      for (int i = 0; i < 4; ++i) {
        made.buffer<float>(1)[static_cast<std::size_t>(i)] = static_cast<float>(i + 1);
        made.buffer<float>(2)[static_cast<std::size_t>(3 * i)] =
            std::array{-1.0F, 0.0F, 3.0F, 4.0F}.at(static_cast<std::size_t>(i));
      }
    });
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const std::span<float> y = result.buffer<float>(0);
    CHECK(std::vector<float>(y.begin(), y.end()) == std::vector<float>{0, 1, 4, 0});
    const EngineRun layers =
        reader({"tex2DLayered<float>(t, 1.5f, 0.5f, (int)c[0])", {2, 2, 3}}, {.layered = true}, 5);
    const EngineResult layered = run_engine(layers, [](EngineResult& made) {
      for (std::size_t i = 0; i < made.buffer<float>(1).size(); ++i) {
        made.buffer<float>(1)[i] = static_cast<float>(i);
      }
      for (int i = 0; i < 5; ++i) {
        made.buffer<float>(2)[static_cast<std::size_t>(3 * i)] = static_cast<float>(i - 1);
      }
    });
    REQUIRE_MESSAGE(layered.outcome.ok(), layered.fault().message);
    const std::span<float> found = layered.buffer<float>(0);
    CHECK(std::vector<float>(found.begin(), found.end()) == std::vector<float>{9, 1, 5, 9, 9});
  }

  TEST_CASE("every element type, in texels of one, two and four, and as floats from -1 or 0 to 1") {
    struct Case {
      DType type;
      std::uint32_t channels;
      bool as_float;
      const char* read;
      double want;  ///< The second texel's, whose elements are -128, 127, 3, 100 in a row.
    };

    const Case cases[] = {
        {DType::kI8, 1, false, "tex1D<char>(t, 1.5f)", -128},
        {DType::kI8, 1, false, "tex1D<signed char>(t, 1.5f)", -128},
        {DType::kI8, 4, false, "tex1D<char4>(t, 1.5f).w", 100},
        {DType::kU8, 2, false, "tex1D<uchar2>(t, 1.5f).y", 127},
        {DType::kU8, 1, false, "tex1D<unsigned char>(t, 1.5f)", 128},
        {DType::kI16, 1, false, "tex1D<short>(t, 1.5f)", -128},
        {DType::kU16, 4, false, "tex1D<ushort4>(t, 1.5f).z", 3},
        {DType::kI32, 2, false, "tex1D<int2>(t, 1.5f).x", -128},
        {DType::kI32, 1, false, "tex1D<int1>(t, 1.5f).x", -128},
        {DType::kU32, 4, false, "tex1D<uint4>(t, 1.5f).y", 127},
        {DType::kF16, 4, false, "tex1D<float4>(t, 1.5f).x", -128},
        {DType::kF32, 2, false, "tex1D<float2>(t, 1.5f).y", 127},
        {DType::kI8, 1, true, "tex1D<float>(t, 1.5f)", -1},
        {DType::kI8, 2, true, "tex1D<float2>(t, 1.5f).y", 1},
        {DType::kU8, 4, true, "tex1D<float4>(t, 1.5f).z", 3.0F / 255.0F},
        {DType::kI16, 4, true, "tex1D<float4>(t, 1.5f).w", 100.0F / 32767.0F},
        {DType::kU16, 4, true, "tex1D<float4>(t, 1.5f).w", 100.0F / 65535.0F},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.read));
      EngineRun run = reader({"0", {2, 0, 0}}, {.normalized_float = c.as_float}, 1);
      run.source = std::string(
                       "__global__ void k(float* y, cudaTextureObject_t t, float*, int) {\n"
                       "  y[0] = ") +
                   c.read + ";\n}\n";
      run.block = {1, 1, 1};
      run.textures[0].type = c.type;
      run.textures[0].channels = c.channels;
      run.buffers[1] = buffer_of("x", c.type, 2 * std::int64_t{c.channels});
      const EngineResult result = run_engine(run, [&](EngineResult& made) {
        const std::array<double, 4> elements = {-128, 127, 3, 100};
        void* const data = made.arena->buffer(1).data();
        for (std::size_t i = 0; i < c.channels; ++i) {
          const bool is_unsigned = name_of(c.type).front() == 'u';
          const double value = elements.at(i);
          store_element(c.type, data, i, 9);
          store_element(c.type, data, c.channels + i, is_unsigned ? std::abs(value) : value);
        }
      });
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(double{result.buffer<float>(0)[0]} == doctest::Approx(c.want));
    }
  }

  TEST_CASE("the pointer forms, a texture through a function, and a loop over threads agree") {
    for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
      EngineRun run = reader({"0", {8, 4, 0}}, {}, 32);
      run.build = build;
      run.source =
          "__device__ float at(cudaTextureObject_t t, int i) {\n"
          "  float v;\n  tex2D(&v, t, i % 8 + 0.5f, i / 8 + 0.5f);\n  return v;\n}\n"
          "__global__ void k(float* y, cudaTextureObject_t t, const float*, int n) {\n"
          "  __shared__ float s[32];\n  s[threadIdx.x] = at(t, threadIdx.x);\n"
          "  __syncthreads();\n  y[threadIdx.x] = s[31 - threadIdx.x];\n}\n";
      const EngineResult result = run_engine(run, [](EngineResult& made) {
        for (std::size_t i = 0; i < 32; ++i) {
          made.buffer<float>(1)[i] = static_cast<float>(i);
        }
      });
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (std::size_t i = 0; i < 32; ++i) {
        CHECK(result.buffer<float>(0)[i] == static_cast<float>(31 - i));
      }
    }
  }

  TEST_CASE("a race on the buffer below a texture is found, with the line of the read") {
    EngineRun run = reader({"0", {8, 0, 0}}, {.fetch = true}, 32);
    run.build = Build::kWatched;
    run.source =
        "__global__ void k(float* y, cudaTextureObject_t t, float* x, int n) {\n"
        "  x[threadIdx.x] = 1;\n"
        "  y[threadIdx.x] = tex1Dfetch<float>(t, 7 - threadIdx.x);\n}\n";
    run.block = {8, 1, 1};
    run.args[2].buffer = 1;
    const EngineResult result = run_engine(run);
    REQUIRE(result.records.size() == 1);
    const SanitizerRecord& race = result.records.front();
    CHECK(race.kind == SanitizerRecord::Kind::kRace);
    CHECK(race.at.line == 2);
    REQUIRE(race.other.has_value());
    CHECK(race.other->line == 3);
    CHECK(race.buffer == 1);
  }
}

}  // namespace ws::test
