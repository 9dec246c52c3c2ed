#include "runtime/device/cuda/arch.h"

#include <doctest/doctest.h>

namespace ws::cuda {
namespace {

struct Case {
  const char* name;
  const char* arch;
  std::int64_t registers;
  std::int64_t threads;
  std::int64_t shared;
  double want;
};

// As NVIDIA's occupancy calculator gives them (cuda_occupancy.h of CUDA 13.0).
constexpr Case kCases[] = {
    {"nothing limits", "sm_90a", 32, 256, 0, 1},
    {"registers", "sm_90a", 128, 256, 0, 0.25},
    {"registers, rounded for each warp", "sm_80", 33, 1024, 0, 0.5},
    {"shared memory and its reserve", "sm_90", 32, 128, 100 * 1024, 0.125},
    {"the most shared memory", "sm_90", 32, 128, 227 * 1024, 0.0625},
    {"too much shared memory", "sm_90", 32, 128, 228 * 1024, 0},
    {"blocks", "sm_86", 16, 32, 0, 16.0 * 32 / 1536},
    {"a partial warp", "sm_89", 16, 33, 0, 24.0 * 64 / 1536},
    {"255 registers in the largest block", "sm_90", 255, 1024, 0, 0},
};

}  // namespace

TEST_SUITE("cuda.arch") {
  TEST_CASE("occupancy is what registers, shared memory, blocks or threads leave") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      const ArchSpec* arch = find_arch(c.arch);
      REQUIRE(arch != nullptr);
      CompiledEntry entry;
      entry.registers = c.registers;
      const auto got = occupancy(*arch, entry, c.threads, c.shared);
      REQUIRE(got.has_value());
      CHECK(*got == doctest::Approx(c.want));
    }
  }

  TEST_CASE("an unknown architecture or number of registers has no occupancy") {
    CHECK(find_arch("sm_13") == nullptr);
    CHECK(find_arch("x86-64-v3") == nullptr);
    CHECK(find_arch("") == nullptr);
    CHECK_FALSE(occupancy(*find_arch("sm_90"), CompiledEntry{}, 256, 0).has_value());
  }

  TEST_CASE("what plans may ask for depends on the architecture") {
    CHECK(features_of("sm_90a").size() == 5);
    CHECK(features_of("sm_120") == features_of("sm_90a"));
    CHECK(features_of("sm_89") == std::vector<std::string>{"cooperative", "textures"});
  }
}

}  // namespace ws::cuda
