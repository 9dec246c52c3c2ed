// The orders of threads and blocks: each thread and block once, and what a kernel sees of them.
#include "runtime/device/cpu/run_order.h"

#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

using cpu::BlockOrder;
using cpu::ThreadOrder;

std::vector<std::size_t> threads_in(RunOrder order, std::uint64_t seed, std::size_t threads) {
  ThreadOrder turns;
  turns.start(order, seed, threads);
  std::vector<std::size_t> row;
  for (std::size_t turn = 0; turn < threads; ++turn) {
    row.push_back(turns.thread_at(turn));
    CHECK(turns.turn_of(row.back()) == turn);
  }
  return row;
}

EngineRun small_run(const std::string& body, RunOrder order) {
  return {.source = "__global__ void k(int* x) {\n" + body + "\n}",
          .entry = "k",
          .block = {40, 1, 1},
          .buffers = {buffer_of("x", DType::kI32, 64)},
          .mode = {.order = order}};
}

/// x[0] counts, x[1 + thread] says which turn the thread had.
constexpr const char* kCount = "  x[1 + threadIdx.x] = atomicAdd(&x[0], 1);";

}  // namespace

TEST_SUITE("device.cpu.run_order") {
  TEST_CASE("each thread has one turn in every order, and a random one keeps warps together") {
    for (const std::size_t threads : {1, 31, 32, 33, 100, 1024}) {
      CAPTURE(threads);
      const auto up = threads_in(RunOrder::kAscending, 0, threads);
      const auto down = threads_in(RunOrder::kDescending, 0, threads);
      const auto mixed = threads_in(RunOrder::kRandom, 7, threads);
      CHECK(up.front() == 0);
      CHECK(up.back() == threads - 1);
      CHECK(std::equal(up.begin(), up.end(), down.rbegin()));
      CHECK(std::set(mixed.begin(), mixed.end()) == std::set(up.begin(), up.end()));
      CHECK(mixed == threads_in(RunOrder::kRandom, 7, threads));
      std::set<std::size_t> begun;
      for (std::size_t turn = 0; turn < threads; ++turn) {
        const std::size_t warp = mixed[turn] / 32;
        CHECK((begun.insert(warp).second || mixed[turn - 1] / 32 == warp));
      }
    }
    CHECK(threads_in(RunOrder::kRandom, 1, 256) != threads_in(RunOrder::kRandom, 2, 256));
  }

  TEST_CASE("each block starts once in every order") {
    for (const std::uint64_t blocks : {1, 2, 3, 64, 1000}) {
      for (const RunOrder order :
           {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
        const BlockOrder starts(order, 5, blocks);
        std::set<std::uint64_t> seen;
        for (std::uint64_t turn = 0; turn < blocks; ++turn) {
          seen.insert(starts.block_at(turn));
        }
        CAPTURE(blocks);
        CAPTURE(std::string(name_of(order)));
        CHECK(seen.size() == blocks);
        CHECK(*seen.rbegin() == blocks - 1);
      }
    }
    const BlockOrder down(RunOrder::kDescending, 0, 1000);
    CHECK(down.block_at(0) == 999);
    CHECK(down.block_at(999) == 0);
  }

  TEST_CASE("threads take their turns in the order asked for, with and without barriers") {
    for (const char* barrier : {"", "  __syncthreads();\n"}) {
      CAPTURE(std::string(barrier));
      for (const Build build : {Build::kFast, Build::kBounds}) {
        EngineRun run = small_run(std::string(kCount) + "\n" + barrier, RunOrder::kAscending);
        run.build = build;
        const EngineResult up = run_engine(run);
        run.mode.order = RunOrder::kDescending;
        const EngineResult down = run_engine(run);
        run.mode.order = RunOrder::kRandom;
        const EngineResult random = run_engine(run);
        REQUIRE(up.outcome.ok());
        REQUIRE(down.outcome.ok());
        REQUIRE(random.outcome.ok());
        std::set<int> turns;
        bool sorted = true;
        for (std::size_t thread = 0; thread < 40; ++thread) {
          CHECK(up.buffer<int>(0)[1 + thread] == static_cast<int>(thread));
          CHECK(down.buffer<int>(0)[1 + thread] == static_cast<int>(39 - thread));
          turns.insert(random.buffer<int>(0)[1 + thread]);
          sorted = sorted && random.buffer<int>(0)[1 + thread] == static_cast<int>(thread);
        }
        CHECK(turns.size() == 40);
        CHECK_FALSE(sorted);
      }
    }
  }

  TEST_CASE("barriers, shuffles and votes give the same in every order") {
    const char* body = R"(
  __shared__ int s[64];
  int t = threadIdx.x, local[3] = {t, t + 1, t + 2};
  s[t] = t;
  __syncthreads();
  int v = s[(t + 7) % 40] + local[(t + x[41]) % 3];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(t < 32 ? ~0u : 0xffu, v, o & (t < 32 ? 31 : 7));
  v += __popc(__ballot_sync(t < 32 ? ~0u : 0xffu, t % 3 == 0));
  __syncthreads();
  s[t] = v;
  __syncthreads();
  if (t < 20) return;
  __syncthreads();
  x[t] = s[39 - t] + __syncthreads_count(t % 2);)";
    const EngineResult up = run_engine(small_run(body, RunOrder::kAscending));
    REQUIRE_MESSAGE(up.outcome.ok(), up.fault().message);
    for (const RunOrder order : {RunOrder::kDescending, RunOrder::kRandom}) {
      const EngineResult other = run_engine(small_run(body, order));
      REQUIRE_MESSAGE(other.outcome.ok(), other.fault().message);
      for (std::size_t i = 0; i < 64; ++i) {
        CHECK(other.buffer<int>(0)[i] == up.buffer<int>(0)[i]);
      }
    }
  }

  TEST_CASE("in other orders threads without barriers use their local arrays one after another") {
    const EngineResult result = run_engine(
        small_run("  int a[8]; for (int i = 0; i < 8; ++i) a[(i + threadIdx.x) % 8] = i;\n"
                  "  x[threadIdx.x] = a[(x[63] + 2 * threadIdx.x) % 8];",
                  RunOrder::kDescending));
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (int t = 0; t < 40; ++t) {
      CHECK(result.buffer<int>(0)[static_cast<std::size_t>(t)] == t % 8);
    }
  }

  TEST_CASE("a clock starts anew in each launch and goes on with each look, whatever time it is") {
    const char* body =
        "  long long first = clock64(), second = clock();\n"
        "  __syncthreads();\n"
        "  if (threadIdx.x == 0) { x[0] = (int)first; x[1] = (int)(second - first); }\n"
        "  if (first < 0 || second < 0) x[2] = 1;";
    EngineRun run = small_run(body, RunOrder::kAscending);
    const EngineResult once = run_engine(run);
    const EngineResult again = run_engine(run);
    run.poison = 2;
    const EngineResult other = run_engine(run);
    CHECK(once.buffer<int>(0)[0] == again.buffer<int>(0)[0]);
    CHECK(once.buffer<int>(0)[0] != other.buffer<int>(0)[0]);
    for (const EngineResult* result : {&once, &again, &other}) {
      REQUIRE(result->outcome.ok());
      CHECK(result->buffer<int>(0)[1] == 64);
      CHECK(result->buffer<int>(0)[2] == 0);
    }
  }

  TEST_CASE("shared and local memory begin with nonsense, or with zeros where that is asked for") {
    EngineRun run = {.source =
                         "__global__ void k(unsigned* x) {\n"
                         "  __shared__ unsigned raw[256];\n  volatile unsigned* s = raw;\n"
                         "  volatile unsigned mine[8];\n  unsigned all = 0;\n"
                         "  for (int i = 0; i < 256; ++i) all |= s[i];\n"
                         "  x[0] = all;\n  all = 0;\n"
                         "  for (int i = 0; i < 8; ++i) all |= mine[(i + x[2]) % 8];\n"
                         "  x[1] = all;\n}",
                     .entry = "k",
                     .buffers = {buffer_of("x", DType::kI32, 3)}};
    const EngineResult nonsense = run_engine(run);
    REQUIRE_MESSAGE(nonsense.outcome.ok(), nonsense.fault().message);
    CHECK(nonsense.buffer<int>(0)[0] != 0);
    CHECK(nonsense.buffer<int>(0)[1] != 0);
    run.mode.zero_memory = true;
    const EngineResult zeros = run_engine(run);
    REQUIRE(zeros.outcome.ok());
    CHECK(zeros.buffer<int>(0)[0] == 0);
    CHECK(zeros.buffer<int>(0)[1] == 0);
  }

  TEST_CASE("the worker says which variable a launch left changed, unless the plan fills it") {
    EngineRun run = {.source =
                         "__device__ int table[4], calls = 5, unused = 7;\n"
                         "__global__ void k(int* x, const int* t) {\n"
                         "  if (x[0] != 0) calls += x[0];\n  table[0] += 1;\n"
                         "  x[1] = unused + calls;\n}",
                     .entry = "k",
                     .buffers = {buffer_of("x", DType::kI32, 4), buffer_of("t", DType::kI32, 4)},
                     .symbols = {{"table", 1}},
                     .mode = {.watch_variables = true}};
    const EngineResult same = run_engine(run);
    REQUIRE_MESSAGE(same.outcome.ok(), same.fault().message);
    CHECK(same.outcome.reply.changed_variable == kNoPlace);
    const EngineResult changed =
        run_engine(run, [](EngineResult& result) { result.buffer<int>(0)[0] = 1; });
    REQUIRE(changed.outcome.ok());
    REQUIRE(changed.outcome.reply.changed_variable < changed.compiled->image.symbols.size());
    CHECK(changed.compiled->image.symbols[changed.outcome.reply.changed_variable].name == "calls");
    run.mode.watch_variables = false;
    const EngineResult unwatched =
        run_engine(run, [](EngineResult& result) { result.buffer<int>(0)[0] = 1; });
    CHECK(unwatched.outcome.reply.changed_variable == kNoPlace);
  }
}

}  // namespace ws::test
