// compute-sanitizer over the worker, on a real GPU: planted mistakes are found in their lines, and
// nothing is found in kernels that have none.
#include "runtime/device/sanitizer.h"

#include <doctest/doctest.h>

#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

constexpr std::chrono::milliseconds kLimit{60'000};
constexpr int kInts = 64;

using Kind = SanitizerRecord::Kind;

struct Planted {
  const char* source;  ///< The mistake is in line 2.
  SanitizerTool tool;
  Kind kind;
  std::int64_t offset;  ///< In the buffer; -1: the record names no buffer.
};

const Planted kPlanted[] = {
    {"__global__ void k(int* v, int n) {\n  if (threadIdx.x == 0) v[n] = 7;\n}\n",
     SanitizerTool::kMemcheck, Kind::kOutOfBounds, kInts * 4},
    {"__global__ void k(int* v, int n) {\n  if (threadIdx.x == 9) v[0] += v[-1];\n}\n",
     SanitizerTool::kMemcheck, Kind::kOutOfBounds, -4},
    {"__global__ void k(int* v, int n) {\n  atomicAdd(v + n + threadIdx.x, 1);\n}\n",
     SanitizerTool::kMemcheck, Kind::kOutOfBounds, kInts * 4},
    {"__global__ void k(int* v, int n) {\n  *(volatile long long*)(v + 1) = n;\n}\n",
     SanitizerTool::kMemcheck, Kind::kMisaligned, 4},
    {"__global__ void k(int* v, int n) { __shared__ int s[64];\n"
     "  s[threadIdx.x] = v[threadIdx.x]; v[threadIdx.x] = s[threadIdx.x ^ 33];\n}\n",
     SanitizerTool::kRacecheck, Kind::kRace, -1},
    {"__global__ void k(int* v, int n) {\n  if (threadIdx.x < 13) __syncthreads();\n"
     "  v[threadIdx.x] = 1;\n}\n",
     SanitizerTool::kSynccheck, Kind::kDivergentBarrier, -1},
};

Result<std::vector<SanitizerRecord>> sanitized(Backend& gpu, const char* source,
                                               SanitizerTool tool) {
  const ContractDevice device = {
      "gpu", &gpu, [&](const auto& entries) { return compile_image(gpu, source, entries); }};
  const ContractRun run(device, {"k"}, kInts);
  WS_TRY(const RunPlan plan, bind_plan(run.plan, run.image, *run.arena));
  return dynamic_cast<Sanitizes&>(gpu).sanitize(run.image, plan, run.arena, tool, kLimit, {});
}

/// Null, with a line, where the tests are left out.
Backend* gpu_with_sanitizer() {
  Backend* const gpu = real_gpu();
  if (gpu == nullptr || dynamic_cast<Sanitizes&>(*gpu).no_sanitizer()) {
    MESSAGE("left out: compute-sanitizer on a GPU (there is none with a toolkit here)");
    return nullptr;
  }
  return gpu;
}

}  // namespace

TEST_SUITE("gpu.sanitizer") {
  TEST_CASE("planted mistakes are found, with their line and their element") {
    Backend* const gpu = gpu_with_sanitizer();
    for (const Planted& planted : kPlanted) {
      if (gpu == nullptr) {
        return;
      }
      CAPTURE(std::string(planted.source));
      const auto records = sanitized(*gpu, planted.source, planted.tool);
      REQUIRE_MESSAGE(records.has_value(), to_text(records.error()));
      REQUIRE(records->size() == 1);
      const SanitizerRecord& record = records->front();
      CHECK(record.kind == planted.kind);
      CHECK(record.entry == "k");
      CHECK(record.at.file == "source");
      CHECK(record.at.line == 2);
      CHECK(record.buffer.has_value() == (planted.offset != -1));
      CHECK((!record.buffer || record.offset == planted.offset));
    }
  }

  TEST_CASE("nothing is found in a kernel without a mistake") {
    Backend* const gpu = gpu_with_sanitizer();
    for (const SanitizerTool tool : kSanitizerTools) {
      if (gpu == nullptr) {
        return;
      }
      if (tool == SanitizerTool::kEngine) {
        continue;  // The CPU engine's own.
      }
      CAPTURE(std::string(name_of(tool)));
      const auto records = sanitized(*gpu,
                                     "__global__ void k(int* v, int n) { __shared__ int s[64];\n"
                                     "  s[threadIdx.x] = v[threadIdx.x]; __syncthreads();\n"
                                     "  v[threadIdx.x] = s[threadIdx.x ^ 33];\n}\n",
                                     tool);
      REQUIRE_MESSAGE(records.has_value(), to_text(records.error()));
      CHECK(records->empty());
    }
  }
}

}  // namespace ws::test
