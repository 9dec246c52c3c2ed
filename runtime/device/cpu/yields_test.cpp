// Updates that can be lost: in a launch in random order the threads of a block take turns between a
// read and the write that follows from it.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr int kThreads = 40;

/// x[0] and what follows after `body` was run by 40 threads.
std::vector<int> run_random(const std::string& body, Build build = Build::kBounds,
                            RunOrder order = RunOrder::kRandom) {
  const EngineResult result = run_engine({.source = "__global__ void k(int* x) {\n" + body + "\n}",
                                          .entry = "k",
                                          .build = build,
                                          .block = {kThreads, 1, 1},
                                          .buffers = {buffer_of("x", DType::kI32, 64)},
                                          .mode = {.order = order}});
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto x = result.buffer<int>(0);
  return {x.begin(), x.end()};
}

struct Kernel {
  const char* name;
  const char* body;
  int want;  ///< x[0] of a kernel that is right.
};

constexpr Kernel kLossy[] = {
    {"a count", "  x[0] = x[0] + 1;", 40},
    {"a count of some", "  if (threadIdx.x % 2 == 0) x[0] += 1;", 20},
    {"a maximum", "  int v = (int)(threadIdx.x * 7) % 40;\n  if (v > x[0]) x[0] = v;", 39},
    {"a count behind a barrier", "  __syncthreads();\n  x[0] += 1;", 40},
    {"a count in shared memory",
     "  __shared__ int s;\n  s = 0;\n  __syncthreads();\n  for (int i = 0; i < 3; ++i) s += 1;\n"
     "  __syncthreads();\n  x[0] = s;",
     120},
    {"a count whose turns come from an atomic",
     "  __shared__ int at;\n  at = 0;\n  __syncthreads();\n"
     "  while (atomicAdd(&at, 1) < 80) x[0] += 1;",
     80},
    {"a swap that is not tried again", "  int o = x[0];\n  atomicCAS(&x[0], o, o + 1);", 40},
    {"an exchange for a sum", "  int o = x[0];\n  atomicExch(&x[0], o + 1);", 40},
    {"a volatile count", "  volatile int* v = x;\n  *v = *v + 1;", 40},
    {"a count of a kernel with an array of its own",
     "  volatile int w[4] = {1, 1, 1, 1};\n  x[0] = x[0] + w[x[8]];", 40},
    {"a count by two atomics", "  int o = atomicAdd(&x[0], 0);\n  atomicExch(&x[0], o + 1);", 40},
    {"an atomic read and a plain write", "  int o = atomicOr(&x[0], 0);\n  x[0] = o + 1;", 40},
    {"a swap of what an atomic read",
     "  int o = atomicAdd(&x[0], 0);\n  atomicCAS(&x[0], o, o + 1);", 40},
    {"a swap that is given up",
     "  int o = 0;\n  for (int i = 0; i < 8; ++i) {\n    int seen = atomicCAS(&x[0], o, o + 1);\n"
     "    if (seen == o) break;\n    o = seen;\n  }",
     40},
    {"a word that is taken and put back",
     "  int o = atomicExch(&x[0], -1);\n  if (o >= 0) atomicExch(&x[0], o + 1);", 40},
    {"a count that is read in two branches",
     "  int b = x[8], o;\n  if (threadIdx.x % 2) o = x[b] - 1; else o = x[b];\n"
     "  x[b] = threadIdx.x % 2 ? o + 2 : o + 1;",
     40},
    {"a count that is not always read", "  int o = 0;\n  if (x[8] == 0) o = x[0];\n  x[0] = o + 1;",
     40},
    {"a histogram",
     "  __shared__ int s[4];\n  if (threadIdx.x < 4) s[threadIdx.x] = 0;\n  __syncthreads();\n"
     "  s[threadIdx.x % 4] += 1;\n  __syncthreads();\n  x[0] = s[0] + s[1] + s[2] + s[3];",
     40},
};

constexpr Kernel kHonest[] = {
    {"a count by atomics", "  atomicAdd(&x[0], 1);", 40},
    {"words of each thread in a kernel with an array of its own",
     "  volatile int w[4] = {0, 1, 2, 3};\n  w[threadIdx.x % 4] += 1;\n"
     "  x[threadIdx.x] = x[threadIdx.x] + w[threadIdx.x % 4];",
     1},
    {"a swap that begins with any number",
     "  int o = 0, seen;\n  while ((seen = atomicCAS(&x[0], o, o + 1)) != o) o = seen;", 40},
    {"a count that wraps around", "  atomicInc((unsigned*)&x[0], 1000);", 40},
    {"a lock whose word has a count",
     "  int o = 0;\n  for (;;) {\n    int seen = atomicCAS(&x[1], o & ~1, (o & ~1) + 1);\n"
     "    if (seen == (o & ~1)) break;\n    o = seen;\n  }\n  x[0] = x[0] + 1;\n"
     "  __threadfence();\n  atomicExch(&x[1], (o & ~1) + 2);",
     40},
    {"words of each thread",
     "  for (int i = 0; i < 1000; ++i) x[threadIdx.x] += 1;\n  if (threadIdx.x == 0) x[0] += 5;",
     1005},
    {"a tree",
     "  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = 1;\n  if (t < 24) s[t + 40] = 0;\n"
     "  for (int o = 32; o > 0; o /= 2) {\n    __syncthreads();\n    if (t < o) s[t] += s[t + o];\n"
     "  }\n  if (t == 0) x[0] = s[0];",
     40},
    {"a tree of a warp",
     "  __shared__ int s[32];\n  int t = threadIdx.x;\n  if (t >= 32) return;\n  s[t] = 1;\n"
     "  for (int o = 16; o > 0; o /= 2) {\n    __syncwarp();\n    if (t < o) s[t] += s[t + o];\n"
     "  }\n  if (t == 0) x[0] = s[0];",
     32},
    {"a sum in registers",
     "  int v = 1;\n  x[threadIdx.x] = x[threadIdx.x] + 1;\n  if (threadIdx.x >= 32) return;\n"
     "  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);\n"
     "  if (threadIdx.x == 0) x[0] = x[0] + v;",
     33},
    {"a lock",
     "  bool done = false;\n  while (!done) {\n    if (atomicCAS(&x[1], 0, 1) == 0) {\n"
     "      x[0] = x[0] + 1;\n      __threadfence();\n      atomicExch(&x[1], 0);\n"
     "      done = true;\n    }\n  }",
     40},
    {"a lock that is waited for",
     "  while (atomicExch(&x[1], 1) != 0) { }\n  x[0] = x[0] + 1;\n  atomicExch(&x[1], 0);", 40},
    {"a swap that is tried again",
     "  int o = x[0], seen;\n  while ((seen = atomicCAS(&x[0], o, o + 1)) != o) o = seen;", 40},
    {"words that are claimed",
     "  for (int i = 1; i < 41; ++i) if (x[i] == 0 && atomicCAS(&x[i], 0, 1) == 0) {\n"
     "    atomicAdd(&x[0], 1);\n    break;\n  }",
     40},
    {"tickets and turns",
     "  int mine = atomicAdd(&x[1], 1);\n  while (*(volatile int*)&x[2] != mine) { }\n  x[0] += "
     "1;\n"
     "  __threadfence();\n  *(volatile int*)&x[2] = mine + 1;",
     40},
    {"a queue of work",
     "  __shared__ int at;\n  at = 0;\n  __syncthreads();\n"
     "  for (;;) {\n    int i = atomicAdd(&at, 1);\n    if (i >= 40) break;\n    x[i + 1] += 1;\n  "
     "}\n"
     "  __syncthreads();\n  if (threadIdx.x == 0) for (int i = 1; i <= 40; ++i) x[0] += x[i];",
     40},
    {"the last thread",
     "  __shared__ int seen;\n  seen = 0;\n  __syncthreads();\n  x[threadIdx.x + 1] = 1;\n"
     "  if (atomicAdd(&seen, 1) == 39) for (int i = 1; i <= 40; ++i) x[0] += x[i];",
     40},
};

}  // namespace

TEST_SUITE("device.cpu.yields") {
  TEST_CASE("an update that may be lost is lost in random order") {
    for (const Kernel& c : kLossy) {
      CAPTURE(std::string(c.name));
      CHECK(run_random(c.body, Build::kBounds, RunOrder::kDescending)[0] == c.want);
      CHECK(run_random(c.body)[0] < c.want);
    }
  }

  TEST_CASE("a kernel whose updates are not lost stays right") {
    for (const Kernel& c : kHonest) {
      for (const Build build : {Build::kBounds, Build::kFast}) {
        CAPTURE(std::string(c.name));
        CHECK(run_random(c.body, build)[0] == c.want);
      }
    }
  }

  TEST_CASE("only builds for a validation have places where threads yield") {
    for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
      for (const std::string body :
           {"x[0] += 1;", "x[0] = 1;", "atomicAdd(&x[0], x[1] = x[1] + 1);"}) {
        CompileRequest request;
        request.source.language = "cuda";
        request.source.source = "__global__ void k(int* x) { " + body + " }";
        request.source.entries = {"k"};
        request.build = build;
        const auto reply = cpu_engine().compile(request, {}, false);
        REQUIRE(reply.has_value());
        REQUIRE(reply->outcome->verdict == CompileVerdict::kCompiled);
        const auto& imports = reply->outcome->image.imports;
        const bool yields = std::any_of(imports.begin(), imports.end(), [](const auto& import) {
          return import.second == "ws_rt_yield";
        });
        CAPTURE(body);
        CHECK(yields == (build == Build::kBounds && body != "x[0] = 1;"));
      }
    }
  }
}

}  // namespace ws::test
