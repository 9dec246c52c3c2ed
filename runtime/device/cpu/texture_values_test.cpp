// The texels that a kernel reads, against the formulas of the CUDA Programming Guide in doubles.
// doubles.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/device/cpu/test_textures.h"

namespace ws::test {
namespace {

constexpr std::uint32_t kWrap = 0;
constexpr std::uint32_t kClamp = 1;
constexpr std::uint32_t kMirror = 2;
constexpr std::uint32_t kBorder = 3;

/// A texel along one dimension and its share; -1: zero.
struct Share {
  int index = 0;
  double weight = 1;
};

/// The texel that stands in for index `i` of `n`, as if the texture went on without end.
int folded(int i, int n, std::uint32_t address) {
  const auto modulo = [](int a, int b) { return (a % b + b) % b; };
  switch (address) {
    case kWrap:
      return modulo(i, n);
    case kMirror:
      return modulo(i, 2 * n) < n ? modulo(i, 2 * n) : 2 * n - 1 - modulo(i, 2 * n);
    case kBorder:
      return i < 0 || i >= n ? -1 : i;
    default:
      return std::clamp(i, 0, n - 1);
  }
}

std::vector<Share> along(double x, int n, const TextureModes& modes) {
  const double u = modes.normalized ? x * n : x;
  if (modes.filter == 0) {
    return {{folded(static_cast<int>(std::floor(u)), n, modes.address), 1}};
  }
  const double low = std::floor(u - 0.5);
  const double share = std::round((u - 0.5 - low) * 256) / 256;
  const int first = static_cast<int>(low);
  return {{folded(first, n, modes.address), 1 - share},
          {folded(first + 1, n, modes.address), share}};
}

/// The sum over all texels that count; one channel of a texture of floats.
double expected(const std::vector<float>& texels, const Texture& texture,
                const std::array<double, 3>& at) {
  std::array<std::vector<Share>, 3> shares;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int extent = static_cast<int>(texture.size.at(axis));
    shares.at(axis) =
        extent == 0 ? std::vector<Share>{{0, 1}} : along(at.at(axis), extent, texture.modes);
  }
  const int width = static_cast<int>(texture.size[0]);
  const int height = std::max(static_cast<int>(texture.size[1]), 1);
  double sum = 0;
  for (const Share& z : shares[2]) {
    for (const Share& y : shares[1]) {
      for (const Share& x : shares[0]) {
        const bool inside = x.index >= 0 && y.index >= 0 && z.index >= 0;
        const auto index = static_cast<std::size_t>((z.index * height + y.index) * width + x.index);
        sum += inside ? x.weight * y.weight * z.weight * double{texels.at(index)} : 0;
      }
    }
  }
  return sum;
}

/// Coordinates from far below the texture to far above it, none of them at the edge of a texel.
std::vector<float> coordinates(std::size_t points, bool normalized) {
  std::vector<float> all;
  for (std::size_t i = 0; i < 3 * points; ++i) {
    const int step = static_cast<int>(i * 37 % 401) - 200;
    const float place = static_cast<float>(step) / 16.0F + 1.0F / 64.0F;
    all.push_back(normalized ? place / 8.0F : place);
  }
  return all;
}

}  // namespace

TEST_SUITE("device.cpu.texture_values") {
  TEST_CASE("every address mode and filter, in one, two and three dimensions") {
    constexpr std::size_t kPoints = 300;
    const Dimensions all[] = {
        {"tex1D<float>(t, c[0])", {8, 0, 0}},
        {"tex2D<float>(t, c[0], c[1])", {8, 4, 0}},
        {"tex2DLod<float>(t, c[0], c[1], 0)", {5, 3, 0}},
        {"tex3D<float>(t, c[0], c[1], c[2])", {8, 4, 2}},
    };
    const TextureModes modes[] = {
        {.address = kClamp},
        {.address = kBorder},
        {.address = kClamp, .filter = 1},
        {.address = kBorder, .filter = 1},
        {.address = kClamp, .normalized = true},
        {.address = kBorder, .normalized = true},
        {.address = kWrap, .normalized = true},
        {.address = kMirror, .normalized = true},
        {.address = kClamp, .filter = 1, .normalized = true},
        {.address = kBorder, .filter = 1, .normalized = true},
        {.address = kWrap, .filter = 1, .normalized = true},
        {.address = kMirror, .filter = 1, .normalized = true},
    };
    for (const Dimensions& dimensions : all) {
      for (const TextureModes& mode : modes) {
        CAPTURE(std::string(dimensions.read));
        CAPTURE(mode.address);
        CAPTURE(mode.filter);
        CAPTURE(mode.normalized);
        const std::vector<float> at = coordinates(kPoints, mode.normalized);
        const EngineRun run = reader(dimensions, mode, kPoints);
        std::vector<float> texels;
        const EngineResult result = run_engine(run, [&](EngineResult& made) {
          const std::span<float> image = made.buffer<float>(1);
          for (std::size_t i = 0; i < image.size(); ++i) {
            image[i] = static_cast<float>(i * i % 23) - 7.5F;
          }
          texels.assign(image.begin(), image.end());
          std::ranges::copy(at, made.buffer<float>(2).begin());
        });
        REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < kPoints; ++i) {
          const double want =
              expected(texels, run.textures[0], {at[3 * i], at[3 * i + 1], at[3 * i + 2]});
          // In a line of this size the shares are multiples of 1/256. With others they may round
          // the other way, as their products do.
          const bool exact = dimensions.size[1] == 0;
          const double slack = mode.filter == 0 ? 0 : exact ? 1e-4 : 0.25;
          wrong += std::abs(double{result.buffer<float>(0)[i]} - want) <= slack ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  }

  TEST_CASE("shares have eight bits: exact where the place is a multiple of 1/256") {
    const TextureModes mode{.address = kClamp, .filter = 1};
    const EngineRun run = reader({"tex1D<float>(t, c[0])", {2, 0, 0}}, mode, 5);
    const std::vector<float> at = {0.5F, 0.5F + 3.0F / 256, 1.0F, 0.5F + 0.3F / 256, 40.0F};
    const EngineResult result = run_engine(run, [&](EngineResult& made) {
      made.buffer<float>(1)[0] = 0;
      made.buffer<float>(1)[1] = 256;
      for (std::size_t i = 0; i < at.size(); ++i) {
        made.buffer<float>(2)[3 * i] = at[i];
      }
    });
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const std::span<float> y = result.buffer<float>(0);
    CHECK(std::vector<float>(y.begin(), y.end()) == std::vector<float>{0, 3, 128, 0, 256});
  }

  TEST_CASE("the shares of four texels are those that an H200 was seen to take") {
    struct Case {
      int x, y;                      ///< Shares of the second column and row, in 1/256.
      std::array<float, 4> weights;  ///< By row and column, in 1/256.
    };

    const Case cases[] = {{85, 101, {104, 51, 67, 34}}, {85, 107, {100, 49, 71, 36}},
                          {85, 110, {98, 48, 73, 37}},  {85, 111, {97, 48, 74, 37}},
                          {85, 114, {95, 47, 76, 38}},  {0, 256, {0, 0, 256, 0}}};
    const EngineRun run = reader({"tex2D<float>(t, c[0], c[1])", {2, 2, 0}},
                                 {.address = kClamp, .filter = 1}, std::size(cases));
    for (std::size_t texel = 0; texel < 4; ++texel) {
      const EngineResult result = run_engine(run, [&](EngineResult& made) {
        std::ranges::fill(made.buffer<float>(1), 0.0F);
        made.buffer<float>(1)[texel] = 256;
        for (std::size_t i = 0; i < std::size(cases); ++i) {
          made.buffer<float>(2)[3 * i] = 0.5F + static_cast<float>(cases[i].x) / 256;
          made.buffer<float>(2)[3 * i + 1] = 0.5F + static_cast<float>(cases[i].y) / 256;
        }
      });
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (std::size_t i = 0; i < std::size(cases); ++i) {
        CHECK(result.buffer<float>(0)[i] == cases[i].weights.at(texel));
      }
    }
  }
}

}  // namespace ws::test
