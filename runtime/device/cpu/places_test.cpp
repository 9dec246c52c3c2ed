// Where a kernel's memory lies, and which kernels look at that.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

EngineRun run_of(const std::string& body, Build build) {
  return {.source = "__global__ void k(long long* x, long long* y) {\n" + body + "}\n",
          .entry = "k",
          .build = build,
          .buffers = {buffer_of("x", DType::kI64, 64), buffer_of("y", DType::kI64, 1000)}};
}

/// The places that the launches of one worker report in x[0].
/// @param timed  They are launches that may be timed.
std::set<std::int64_t> places(const std::string& body, bool timed, int launches) {
  const EngineRun run = run_of(body, Build::kFast);
  const EngineResult first = run_engine(run);
  REQUIRE_MESSAGE(first.outcome.ok(), first.fault().message);
  const auto bound = bind_plan(first.plan, first.compiled->image, *first.arena);
  REQUIRE_MESSAGE(bound.has_value(), to_text(bound.error()));
  auto session = cpu_engine().open(first.compiled->image, *bound, first.arena);
  REQUIRE_MESSAGE(session.has_value(), to_text(session.error()));
  std::set<std::int64_t> seen;
  for (int i = 1; i <= launches; ++i) {
    const auto poison = static_cast<std::uint64_t>(i);
    const auto outcome = timed ? (*session)->run(poison, run.limit, {})
                               : (*session)->run_as({}, poison, run.limit, {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    REQUIRE(outcome->ok());
    seen.insert(first.buffer<std::int64_t>(0)[0]);
  }
  return seen;
}

}  // namespace

TEST_SUITE("device.cpu.places") {
  TEST_CASE("buffers lie elsewhere in each launch that is not timed, on whole pages") {
    const std::set<std::int64_t> seen =
        places("  x[0] = (long long)x;\n  x[63] = 1;\n", /*timed=*/false, 40);
    CHECK(seen.size() >= 36);  // There are 4096 places.
    for (const std::int64_t place : seen) {
      CHECK((place - *seen.begin()) % 4096 == 0);
    }
  }

  TEST_CASE("the distance of two buffers is another one in each launch, by whole pages") {
    const std::set<std::int64_t> seen =
        places("  y[999] = 1;\n  x[0] = (long long)y - (long long)x;\n", /*timed=*/false, 40);
    CHECK(seen.size() >= 30);  // There are 512.
    for (const std::int64_t distance : seen) {
      CHECK((distance - *seen.begin()) % 4096 == 0);
      CHECK(distance > 64 * 8 + 4096);
    }
  }

  TEST_CASE("what is written behind a buffer is found in its guard, wherever the next one lies") {
    for (int i = 1; i <= 8; ++i) {
      EngineRun run = run_of("  ((volatile long long*)x)[64 + y[0]] = 1;\n", Build::kFast);
      run.poison = static_cast<std::uint64_t>(i);
      const EngineResult result = run_engine(run, [i](EngineResult& made) {
        made.buffer<std::int64_t>(1)[0] = 64 * i - 1;
        std::ranges::fill(made.arena->guards(0).second, std::byte{0});
      });
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      const auto guard = result.arena->guards(0).second;
      CHECK(std::ranges::count(guard, std::byte{1}) == 1);
    }
  }

  TEST_CASE("they stay where they are in launches that are timed") {
    CHECK(places("  x[0] = (long long)x;\n", /*timed=*/true, 10).size() == 1);
  }

  TEST_CASE("another worker has them at another place") {
    std::set<std::int64_t> seen;
    for (int i = 0; i < 4; ++i) {
      seen.merge(places("  x[0] = (long long)x;\n", /*timed=*/true, 1));
    }
    CHECK(seen.size() >= 3);
  }

  TEST_CASE("local arrays lie elsewhere in each launch, in steps of 64 bytes") {
    for (const bool timed : {false, true}) {
      const std::set<std::int64_t> seen = places(
          "  volatile int w[4] = {1, 2, 3, 4};\n  x[0] = ((long long)w & 4095) + w[x[1] & 3] - "
          "1;\n",
          timed, 60);
      CHECK(seen.size() >= 25);  // There are 64 places.
      for (const std::int64_t place : seen) {
        CHECK((place & ~std::int64_t{3}) % 64 == 0);
      }
    }
  }

  TEST_CASE("a kernel that computes with the number of an address looks at it") {
    const char* bodies[] = {
        "  x[0] = ((unsigned long long)x >> 12) % 16;\n",
        "  x[0] = (unsigned long long)x % 4096;\n",
        "  if (((unsigned long long)x & 0x1000) != 0) x[0] = 1;\n",
        "  if ((unsigned)(unsigned long long)x < 77) x[0] = 1;\n",
        "  x[0] = (long long)x;\n",
        "  volatile int w[4] = {1, 2, 3, 4};\n  x[0] = ((unsigned long long)w >> 6) % 16 + w[x[0] "
        "& 3];\n",
        "  union { long long* p; unsigned char b[8]; } u = {x};\n  x[0] = u.b[x[1] & 7];\n",
        "  __shared__ long long* kept;\n  kept = x;\n  x[0] = *(unsigned char*)&kept;\n",
        "  x[0] = (double)(unsigned long long)x > 1e12;\n",
        "  if ((char*)x + 5 < (char*)0x200000000000) x[0] = 1;\n",
        "  if ((char*)x < (char*)x[1]) x[0] = 1;\n",
        "  volatile int w[4] = {1, 2, 3, 4};\n  x[0] = (((long long)x - (long long)w) >> 12) % 64 "
        "+ "
        "w[x[0] & 3];\n",
        "  if (__builtin_align_down(x, 262144) == __builtin_align_down(x, 64)) x[0] = 1;\n",
        "  if ((char*)((unsigned long long)x & ~0x3ffffull) == (char*)x) x[0] = 1;\n",
        "  x[0] = (unsigned long long)x - ((unsigned long long)x & ~4095ull);\n",
        "  if ((unsigned short)(unsigned long long)x == 0) x[0] = 1;\n",
        "  __shared__ char s[64];\n  s[threadIdx.x] = 1;\n  if ((char*)x + x[1] < s) x[0] = s[x[2] "
        "& "
        "63];\n",
    };
    for (const char* body : bodies) {
      CAPTURE(std::string(body));
      CHECK(run_engine(run_of(body, Build::kBounds)).compiled->image.looks_at_addresses);
      CHECK(run_engine(run_of(body, Build::kFast)).compiled->image.looks_at_addresses);
    }
  }

  TEST_CASE("alignment, differences and comparisons of addresses tell nothing of a place") {
    const char* bodies[] = {
        "  x[threadIdx.x] = 2 * x[threadIdx.x];\n",
        "  if ((unsigned long long)x % 16 == 0) ((int4*)x)[0] = make_int4(1, 2, 3, 4);\n",
        "  if (((unsigned long long)x & 63) == 0) x[0] = 1;\n",
        "  if ((((unsigned long long)x | (unsigned long long)(x + 4)) & 15) == 0) x[0] = 1;\n",
        "  long long* z = x + x[0];\n  x[1] = z - x;\n  if (z != nullptr && z > x) x[2] = 1;\n",
        "  __shared__ long long s[512];\n"
        "  long long* a = (long long*)(((unsigned long long)s + 1023) & ~1023ull);\n"
        "  a[threadIdx.x] = 1;\n  __syncthreads();\n  x[0] = a[0];\n",
        "  __shared__ long long s[32];\n  for (long long* p = s; p < s + 32; ++p) *p = p - s;\n"
        "  __syncthreads();\n  for (long long* p = x; p != x + 32; ++p) *p = s[p - x];\n",
        "  __shared__ int s[32];\n  s[threadIdx.x] = 3;\n  __syncthreads();\n  int v;\n"
        "  unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);\n"
        "  asm volatile(\"ld.shared.s32 %0, [%1];\" : \"=r\"(v) : \"r\"(at));\n  x[0] = v;\n",
        "  atomicAdd((unsigned long long*)x, 1ull);\n",
    };
    for (const char* body : bodies) {
      CAPTURE(std::string(body));
      CHECK_FALSE(run_engine(run_of(body, Build::kBounds)).compiled->image.looks_at_addresses);
      CHECK_FALSE(run_engine(run_of(body, Build::kFast)).compiled->image.looks_at_addresses);
    }
  }
}

}  // namespace ws::test
