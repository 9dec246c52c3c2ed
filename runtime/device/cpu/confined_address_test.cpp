// Addresses that lead out of a kernel's memory by the ways in which compiled code takes addresses
// apart. Forced into the window of the region, an address that is off by the window's size is the
// one it would have been, and hits its buffer; left as it is, it would hit nothing.
#include <limits>

#include <doctest/doctest.h>

#include "runtime/device/cpu/abi.h"
#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// Elements of 8 bytes in the window.
constexpr std::int64_t kWindow = std::int64_t{1} << 39U;
static_assert(kWindow * 8 == cpu_abi::kWindowBytes);

constexpr int kElements = 64;

/// Runs `body` as one thread. x[1] is the window in elements, x[2] minus that, x[3] is 5, x[4]
/// to x[7] are -2^31.
EngineResult run_body(const std::string& body, Build build = Build::kFast) {
  return run_engine({.source = "struct Small { char bytes[512]; };\n"
                               "struct Page { char bytes[4096]; };\n"
                               "struct Huge { char bytes[1l << 30]; };\n"
                               "__global__ void k(long* x) {\n" +
                               body + "\n}",
                     .entry = "k",
                     .build = build,
                     .buffers = {buffer_of("x", DType::kI64, kElements)}},
                    [](EngineResult& result) {
                      const auto x = result.buffer<std::int64_t>(0);
                      x[1] = kWindow;
                      x[2] = -kWindow;
                      x[3] = 5;
                      x[4] = x[5] = x[6] = x[7] = std::numeric_limits<std::int32_t>::min();
                    });
}

struct Stray {
  const char* name;
  const char* body;
};

// Each writes 7 to x[10], and adds or takes away windows.
constexpr Stray kStrays[] = {
    {"a constant index", "x[(1l << 39) + 10] = 7;"},
    {"a negative constant index", "x[10 - (1l << 39)] = 7;"},
    {"an index from memory", "x[x[1] + 10] = 7;"},
    {"a negative index from memory", "x[x[2] + 10] = 7;"},
    {"steps that are near one by one",
     "Small* p = (Small*)(x + 10) + (int)x[4]; p += (int)x[5]; p += (int)x[6];\n"
     "*(long*)&p[(int)x[7]] = 7;"},
    {"many indices of 32 bits",
     "unsigned u = ~0u - (unsigned)x[0]; Page* p = (Page*)(x + 10);\n"
     "*(long*)&p[u / 4 + 1] = 7;"},
    {"a signed index of 32 bits and a huge element",
     "int i = 4096 * (int)(x[3] - 4); *(long*)&((Huge*)(x + 10))[i] = 7;"},
    {"a negative index of 32 bits and a huge element",
     "int i = -4096 * (int)(x[3] - 4); *(long*)&((Huge*)(x + 10))[i] = 7;"},
    {"an address from a number", "*(long*)((long)(x + 10) + (x[1] << 3)) = 7;"},
    {"an address without its high bits", "*(long*)((long)(x + 10) & ((1l << 42) - 1)) = 7;"},
    {"a stride from memory", "for (int i = 0; i < (int)x[3]; ++i) x[i * x[1] + 10] = 7;"},
    {"a stride from memory, unrolled by hand",
     "for (long i = 0; i < x[3]; i += 4) {\n"
     "  long n = x[1];\n"
     "  x[i * n + 10] = 7; x[(i + 1) * n + 10] = 7; x[(i + 2) * n + 10] = 7; x[(i + 3) * n + 10] = "
     "7;\n"
     "}"},
    {"a counter that begins far off", "for (long i = x[1]; i < x[1] + 1; ++i) x[i + 10] = 7;"},
    {"a counter that begins beyond its end",
     "long i = (1l << 39) - 1; do { ++i; x[i + 10] = 7; } while (i < x[3]);"},
    {"a counter that never meets its end",
     "long n = x[0]; for (long i = 0; i != n - 1; i += 1l << 39) {\n"
     "  x[i + 10] = 7; if (i > (3l << 39)) break; }"},
    {"a counter whose end is promised",
     "long n = x[1]; __builtin_assume(n < 32);\nfor (long i = n; i <= n; ++i) x[i + 10] = 7;"},
    {"a promise about a difference",
     "long n = x[1]; if (n > 100) { if (x[3] == 4) __builtin_unreachable(); x[n + 10] = 7; }"},
    {"a pointer that a loop moves",
     "long* p = x; for (int i = 0; i < 3; ++i) { p[10] = 7; p += x[1]; }"},
    {"a choice of pointers", "long* p = x[3] == 5 ? x + x[1] : x; p[10] = 7;"},
    {"an update in one step", "atomicAdd((int*)(x + x[1] + 10), 7);"},
    {"a copy",
     "long a[2]; a[0] = x[0] + 7; a[1] = x[0]; __builtin_memcpy(x + x[1] + 10, a, 8 + x[0]);"},
    {"parts of an address in several rounds",
     "long far = x[1]; for (int i = 8; i < 12; ++i) if (i == 10) x[far + i] = 7; else x[far + i + "
     "20] = 1;"},
};

}  // namespace

TEST_SUITE("device.cpu.confined_address") {
  TEST_CASE("an address that is off by the window's size is forced back into it") {
    for (const Stray& c : kStrays) {
      CAPTURE(std::string(c.name));
      const EngineResult result = run_body(c.body);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(result.buffer<std::int64_t>(0)[10] == 7);
    }
  }

  TEST_CASE("an address that is off by less hits nothing") {
    for (const char* body : {
             "x[x[1] / 2] = 7;",
             "x[x[2] / 2] = 7;",
             "x[1l << 38] = 7;",
             "for (long i = 0; i < 3; ++i) x[i * (x[1] / 4) + 10] = 7;",
             "int i = 0x5fffffff - (int)x[0]; *(long*)&((Page*)x)[i] = 7;",
             "int i = -0x7fffffff + (int)x[0]; x[i] = 7;",
             "int i = 0x7fffffff - (int)x[0]; x[i] = 7;",
             "unsigned i = 0xffffffff - (unsigned)x[0]; x[i] = 7;",
         }) {
      CAPTURE(std::string(body));
      const EngineResult result = run_body(body);
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.outcome.end == RunOutcome::End::kReplied);
      CHECK(result.fault().kind == "invalid_address");
    }
  }

  TEST_CASE("an address in the region stays as it is, however far its parts lead away") {
    for (
        const char* body : {
            // The part that is forced lies below the region's start, or above its end.
            "for (long i = 0; i < 3; ++i) x[(i - 1) * (x[1] / 16) + (int)(x[1] >> 10) * 64l + 10 - "
            "(i == 0 ? 0 : (i - 1) * (x[1] / 16)) - (x[1] >> 4) - (i == 0 ? -(x[1] / 16) : 0)] = "
            "7;",
            "int back = -2000000000 - (int)x[0]; long far = 2000000010l + x[0]; x[far + back] = 7;",
            "int on = 2000000010 + (int)x[0]; long far = -2000000000l + x[0]; x[far + on] = 7;",
            "long* p = x + x[1] / 8; int back = (int)(x[1] >> 20); p[10 - (long)back * 131072] = "
            "7;",
            "long n = x[1]; for (long i = 0; i < 4; ++i) x[(i + 1) * n - (i + 1) * n + 10] = 7;",
        }) {
      CAPTURE(std::string(body));
      const EngineResult result = run_body(body);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(result.buffer<std::int64_t>(0)[10] == 7);
    }
  }

  TEST_CASE("a checked build refuses each of them before it is made") {
    for (const Stray& c : kStrays) {
      if (std::string(c.body).find("& ((1l") != std::string::npos) {
        continue;  // A number that is no address of any buffer.
      }
      CAPTURE(std::string(c.name));
      CHECK_FALSE(run_body(c.body, Build::kBounds).outcome.ok());
    }
  }
}

}  // namespace ws::test
