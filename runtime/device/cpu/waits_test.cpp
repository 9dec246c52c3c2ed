// Threads that wait for a word of memory which another thread of their block writes: flags, locks,
// tickets and turns. All of them end, in every order and build.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr int kThreads = 96;

struct Waiting {
  const char* name;
  const char* body;
  int want;  ///< x[0] at the end.
};

constexpr Waiting kWaits[] = {
    {"a warp that waits for another one's flag",
     "  __shared__ volatile int flag;\n  if (t == 0) flag = 0;\n  __syncthreads();\n"
     "  if (t < 32) {\n    while (flag == 0) { }\n    if (t == 0) x[0] = flag;\n"
     "  } else if (t == 95) {\n    flag = 5;\n  }",
     5},
    {"an atomic load",
     "  if (t == 0) {\n    while (__atomic_load_n(&x[1], __ATOMIC_ACQUIRE) == 0) { }\n"
     "    x[0] = 3;\n  } else if (t == 90) {\n    __atomic_store_n(&x[1], 1, __ATOMIC_RELEASE);\n  "
     "}",
     3},
    {"loads past the cache",
     "  if (t == 0) {\n    while (__ldcg(&x[1]) == 0) { }\n    while (__ldcv(&x[2]) == 0) { }\n"
     "    x[0] = 4;\n  } else if (t == 90) {\n    x[1] = 1;\n    __threadfence();\n    x[2] = 1;\n "
     " }",
     4},
    {"a plain load behind a fence",
     "  if (t == 0) {\n    while (x[1] == 0) __threadfence();\n    x[0] = 6;\n"
     "  } else if (t == 90) {\n    x[1] = 1;\n  }",
     6},
    {"a plain load after a sleep",
     "  if (t == 0) {\n    while (x[1] == 0) __nanosleep(100);\n    x[0] = 7;\n"
     "  } else if (t == 90) {\n    x[1] = 1;\n  }",
     7},
    {"an atomic that adds nothing",
     "  if (t == 0) {\n    while (atomicAdd(&x[1], 0) < 40) { }\n    x[0] = 8;\n"
     "  } else {\n    atomicAdd(&x[1], 1);\n  }",
     8},
    {"several flags, looked at from the first one on",
     "  volatile int* v = x;\n  if (t == 0) {\n    for (bool all = false; !all;) {\n      all = "
     "true;\n"
     "      for (int i = 2; i < 6; ++i) if (v[i] == 0) { all = false; break; }\n    }\n"
     "    v[0] = 9;\n  } else if (t >= 90 && t < 94) {\n    v[95 - t] = 1;\n  }",
     9},
    {"a lock with an exchange",
     "  while (atomicExch(&x[1], 1) != 0) { }\n  x[0] = x[0] + 1;\n  __threadfence();\n"
     "  atomicExch(&x[1], 0);",
     96},
    {"a lock with a compare-and-swap",
     "  for (bool done = false; !done;) {\n    if (atomicCAS(&x[1], 0, 1) == 0) {\n"
     "      x[0] = x[0] + 1;\n      __threadfence();\n      atomicExch(&x[1], 0);\n"
     "      done = true;\n    }\n  }",
     96},
    {"a lock that is looked at before it is tried",
     "  for (;;) {\n    while (*(volatile int*)&x[1] != 0) { }\n"
     "    if (atomicCAS(&x[1], 0, 1) == 0) break;\n  }\n  x[0] += 1;\n  atomicExch(&x[1], 0);",
     96},
    {"two locks, always in the same order",
     "  while (atomicExch(&x[1], 1) != 0) { }\n  while (atomicExch(&x[2], 1) != 0) { }\n"
     "  x[0] = x[0] + 1;\n  atomicExch(&x[2], 0);\n  atomicExch(&x[1], 0);",
     96},
    {"tickets and turns",
     "  int mine = atomicAdd(&x[1], 1);\n  while (*(volatile int*)&x[2] != mine) { }\n"
     "  x[0] = x[0] + 1;\n  __threadfence();\n  *(volatile int*)&x[2] = mine + 1;",
     96},
    {"threads that take turns from the last one on",
     "  volatile int* turn = &x[1];\n  while (*turn != 95 - t) { }\n  x[0] += 1;\n"
     "  __threadfence();\n  *turn = *turn + 1;",
     96},
    {"a barrier of two warps",
     "  volatile int* arrived = &x[1];\n  if (t < 64) {\n    if (t % 32 == 0) {\n"
     "      atomicAdd(&x[1], 1);\n      while (*arrived < 2) { }\n    }\n    __syncwarp();\n"
     "    atomicAdd(&x[0], *arrived);\n  }",
     128},
};

int run_wait(const std::string& body, Build build, RunOrder order) {
  EngineRun run = {.source = "__global__ void k(int* x) {\n  int t = threadIdx.x;\n" + body + "\n}",
                   .entry = "k",
                   .build = build,
                   .block = {kThreads, 1, 1},
                   .buffers = {buffer_of("x", DType::kI32, 8)},
                   .limit = std::chrono::seconds(30),
                   .mode = {.order = order}};
  const EngineResult result = run_engine(run);
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  return result.buffer<int>(0)[0];
}

bool imports(const std::string& body, const std::string& function) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source =
      "__global__ void k(int* x, int n) {\n  int t = threadIdx.x;\n" + body + "\n}";
  request.source.entries = {"k"};
  request.build = Build::kFast;
  const auto reply = cpu_engine().compile(request, {}, false);
  REQUIRE(reply.has_value());
  REQUIRE_MESSAGE(reply->outcome->verdict == CompileVerdict::kCompiled, reply->outcome->message);
  const auto& names = reply->outcome->image.imports;
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& import) { return import.second == function; });
}

}  // namespace

TEST_SUITE("device.cpu.waits") {
  TEST_CASE("threads that wait for others of their block let them go on") {
    for (const Waiting& c : kWaits) {
      for (const Build build : {Build::kFast, Build::kBounds}) {
        for (const RunOrder order :
             {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
          CAPTURE(std::string(c.name));
          CAPTURE(std::string(name_of(order)));
          CHECK(run_wait(c.body, build, order) == c.want);
        }
      }
      CAPTURE(std::string(c.name));
      CHECK(run_wait(c.body, Build::kProfile, RunOrder::kAscending) == c.want);
    }
  }

  TEST_CASE("loops that end whatever others do are left as they are") {
    for (const char* body :
         {"for (int i = t; i < n; i += 64) x[i] += 1;",
          "for (int i = t; i < n; i += 64) atomicCAS(&x[i], 0, 1);",
          "for (int i = t; i < n; i += 64) x[i] = atomicExch(&x[i + 1], 1);",
          "for (;;) { int i = atomicAdd(&x[0], 1); if (i >= n) break; x[i] = 1; }",
          "int old = x[0], seen; while ((seen = atomicCAS(&x[0], old, old + t)) != old) old = "
          "seen;",
          "atomicInc((unsigned*)x, 7u);", "while (x[t] > 0) x[t] -= n;",
          "for (volatile int i = 0; i < n; i = i + 1) { }"}) {
      CAPTURE(body);
      CHECK_FALSE(imports(body, "ws_rt_look_again"));
    }
    CHECK(imports("while (*(volatile int*)x != n) { }", "ws_rt_look_again"));
    CHECK(imports("while (atomicCAS(&x[0], 0, 1) != 0) { }", "ws_rt_look_again"));
  }

  TEST_CASE("a thread that waits for nobody is stopped at its line") {
    EngineRun run = {.source =
                         "__global__ void k(volatile int* x) {\n  if (threadIdx.x == 3)\n"
                         "    while (x[0] == 0) { }\n}",
                     .entry = "k",
                     .block = {kThreads, 1, 1},
                     .buffers = {buffer_of("x", DType::kI32, 8)},
                     .limit = std::chrono::milliseconds(300)};
    const EngineResult result = run_engine(run);
    CHECK(result.fault().verdict == Verdict::kTimeout);
    CHECK(result.fault().line == 3);
  }
}

}  // namespace ws::test
