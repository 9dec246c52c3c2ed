// cuda::barrier, cuda::pipeline and their copies on the CPU engine.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// The 64 values of y that a kernel k(int* y, const int* x) leaves; x counts from 0 to 255.
std::vector<int> run_copies(const std::string& body) {
  EngineRun run;
  run.source =
      "#include <cooperative_groups.h>\n#include <cuda/barrier>\n#include <cuda/pipeline>\n"
      "#include <cuda_pipeline_primitives.h>\nnamespace cg = cooperative_groups;\n"
      "using Barrier = cuda::barrier<cuda::thread_scope_block>;\n"
      "__global__ void k(int* y, const int* x) {\n  auto block = cg::this_thread_block();\n"
      "  int t = threadIdx.x;\n" +
      body + "}\n";
  run.entry = "k";
  run.block = {64, 1, 1};
  run.buffers = {buffer_of("y", DType::kI32, 64), buffer_of("x", DType::kI32, 256)};
  const EngineResult result = run_engine(run, [](EngineResult& made) {
    for (std::size_t i = 0; i < 256; ++i) {
      made.buffer<int>(1)[i] = static_cast<int>(i);
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto values = result.buffer<int>(0);
  return {values.begin(), values.end()};
}

}  // namespace

TEST_SUITE("device.cpu.pipeline_headers") {
  TEST_CASE("a barrier's phases begin when all have arrived, also in parts and by some") {
    const std::vector<int> y = run_copies(
        "  __shared__ Barrier bar;\n  __shared__ int s[64];\n  if (t == 0) init(&bar, 64);\n"
        "  block.sync();\n  int sum = 0;\n"
        "  for (int round = 0; round < 3; ++round) {\n    s[t] = t + round;\n"
        "    Barrier::arrival_token token = bar.arrive();\n    bar.wait(token);\n"
        "    sum += s[63 - t];\n    bar.arrive_and_wait();\n  }\n  y[t] = sum;\n");
    for (int t = 0; t < 64; ++t) {
      CHECK(y[static_cast<std::size_t>(t)] == 3 * (63 - t) + 3);
    }
  }

  TEST_CASE("copies to shared memory are there when their barrier or their group says so") {
    const std::vector<int> y = run_copies(
        "  __shared__ Barrier bar;\n  __shared__ int s[128];\n  if (t == 0) init(&bar, 64);\n"
        "  block.sync();\n"
        "  cuda::memcpy_async(block, s, x, sizeof(int) * 64, bar);\n"
        "  cuda::memcpy_async(s + 64 + t, x + 64 + t, cuda::aligned_size_t<4>(4), bar);\n"
        "  bar.arrive_and_wait();\n  y[t] = s[63 - t] + 1000 * s[127 - t];\n");
    for (int t = 0; t < 64; ++t) {
      CHECK(y[static_cast<std::size_t>(t)] == 63 - t + 1000 * (127 - t));
    }
  }

  TEST_CASE("a pipeline hands its stages from all producers to all consumers and back") {
    const std::vector<int> y = run_copies(
        "  __shared__ int s[2][64];\n"
        "  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;\n"
        "  auto pipe = cuda::make_pipeline(block, &state);\n  int sum = 0;\n"
        "  for (int fetch = 0, use = 0; use < 4; ++use) {\n"
        "    for (; fetch < 4 && fetch < use + 2; ++fetch) {\n      pipe.producer_acquire();\n"
        "      cuda::memcpy_async(block, s[fetch % 2], x + fetch * 64, 256, pipe);\n"
        "      pipe.producer_commit();\n    }\n    pipe.consumer_wait();\n"
        "    sum += s[use % 2][63 - t];\n    pipe.consumer_release();\n  }\n  y[t] = sum;\n");
    for (int t = 0; t < 64; ++t) {
      CHECK(y[static_cast<std::size_t>(t)] == 4 * (63 - t) + 64 * 6);
    }
  }

  TEST_CASE("some warps may produce what others consume") {
    const std::vector<int> y = run_copies(
        "  __shared__ int s[2][32];\n"
        "  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;\n"
        "  bool makes = t < 32;\n  auto role = makes ? cuda::pipeline_role::producer : "
        "cuda::pipeline_role::consumer;\n  auto pipe = cuda::make_pipeline(block, &state, role);\n"
        "  int sum = 0;\n  for (int i = 0; i < 8; ++i) {\n    if (makes) {\n"
        "      pipe.producer_acquire();\n"
        "      cuda::memcpy_async(&s[i % 2][t], x + i * 32 + t, sizeof(int), pipe);\n"
        "      pipe.producer_commit();\n    } else {\n      pipe.consumer_wait();\n"
        "      sum += s[i % 2][63 - t];\n      pipe.consumer_release();\n    }\n  }\n"
        "  y[t] = sum;\n");
    for (int t = 32; t < 64; ++t) {
      CHECK(y[static_cast<std::size_t>(t)] == 8 * (63 - t) + 32 * 28);
    }
  }

  TEST_CASE("a thread's own pipeline and the primitives copy at once") {
    const std::vector<int> y = run_copies(
        "  __shared__ int4 s[64];\n  auto own = cuda::make_pipeline();\n  own.producer_acquire();\n"
        "  cuda::memcpy_async(&s[t].x, x + t, 4, own);\n  own.producer_commit();\n"
        "  cuda::pipeline_consumer_wait_prior<0>(own);\n"
        "  __pipeline_memcpy_async(&s[t].y, x + t, 8, 4);\n  __pipeline_commit();\n"
        "  __pipeline_wait_prior(0);\n  y[t] = s[t].x + 1000 * s[t].y + s[t].z;\n");
    for (int t = 0; t < 64; ++t) {
      CHECK(y[static_cast<std::size_t>(t)] == t + 1000 * t);
    }
  }
}

}  // namespace ws::test
