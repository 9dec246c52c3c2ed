#include "runtime/evaluate/measure/ceiling_kernels.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

namespace ws {
namespace {

using Json = nlohmann::json;

/// A tensor core's type, for both instructions. Per tile of 16 x 8 (mma) or 64 x 256 (wgmma) and
/// `depth` products a sum.
struct TensorRow {
  const char* unit;
  const char* types;  ///< The types of A and B, in the instruction's name.
  int depth;
  int least_arch;      ///< For mma.sync.
  const char* suffix;  ///< The end of wgmma's name: nothing is transposed.
};

constexpr std::array kTensorRows = {
    TensorRow{"tf32", "tf32.tf32", 8, 80, ""},
    TensorRow{"f16", "f16.f16", 16, 80, ", 0, 0"},
    TensorRow{"bf16", "bf16.bf16", 16, 80, ", 0, 0"},
    TensorRow{"f8", "e4m3.e4m3", 32, 89, ""},
};

constexpr int kAccumulators = 128;  // The accumulators of one thread, for wgmma.
constexpr int kWarpSums = 8;        // Independent sums of a warp, for mma.sync.

/// Each thread has all of its loads on the way at once: what a loop that adds up as it goes cannot.
constexpr int kLoads = 8;
constexpr const char* kMemory = R"cu(
__global__ void __launch_bounds__(256) probe(const float4* x, float4* y, long long n) {
  const long long first = blockIdx.x * (long long)(256 * LOADS) + threadIdx.x;
  float4 v[LOADS];
  #pragma unroll
  for (int k = 0; k < LOADS; ++k) {
    const long long i = first + k * 256;
    v[k] = i < n ? x[i] : make_float4(0, 0, 0, 0);
  }
  float sum = 0;
  #pragma unroll
  for (int k = 0; k < LOADS; ++k) {
    const long long i = first + k * 256;
    if (COPY && i < n) { y[i] = v[k]; }
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  if (!COPY && sum == 1e30f) { y[0] = v[0]; }
}
)cu";

constexpr const char* kMultiplyAdd = R"cu(
__global__ void probe(float* y, int rounds) {
  float v[16];
  for (int i = 0; i < 16; ++i) { v[i] = threadIdx.x * 0.001f + i; }
  for (int r = 0; r < rounds; ++r) {
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      #pragma unroll
      for (int i = 0; i < 16; ++i) { v[i] = v[i] * 0.999f + 0.5f; }
    }
  }
  float sum = 0;
  for (int i = 0; i < 16; ++i) { sum += v[i]; }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)cu";

constexpr const char* kMma = R"cu(
__global__ void probe(float* y, int rounds) {
  float d[SUMS][4] = {};
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) { a[i] = threadIdx.x * i; }
  for (int i = 0; i < 2; ++i) { b[i] = threadIdx.x + i; }
  for (int r = 0; r < rounds; ++r) {
    #pragma unroll
    for (int s = 0; s < SUMS; ++s) {
      asm volatile("mma.sync.aligned.m16n8kDEPTH.row.col.f32.TYPES.f32 "
                   "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                   : "+f"(d[s][0]), "+f"(d[s][1]), "+f"(d[s][2]), "+f"(d[s][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  float sum = 0;
  for (int s = 0; s < SUMS; ++s) { sum += d[s][0] + d[s][1] + d[s][2] + d[s][3]; }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)cu";

/// A tile of 64 rows and one of 256, of 128 bytes each and swizzled. They hold zeros, which cost
/// the least power: no other values run at higher clocks.
constexpr const char* kWgmma = R"cu(
__global__ void __launch_bounds__(128) probe(float* y, int rounds) {
  __shared__ alignas(1024) unsigned char tiles[40960];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tiles);
  for (int i = threadIdx.x; i < 40960 / 4; i += blockDim.x) { ((unsigned*)tiles)[i] = 0; }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const unsigned long long common = (1ull << 62) | (64ull << 32) | (1ull << 16);
  const unsigned long long a = common | (at >> 4), b = common | ((at + 8192) >> 4);
  float d[128] = {};
  for (int r = 0; r < rounds; ++r) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
      asm volatile("wgmma.mma_async.sync.aligned.m64n256kDEPTH.f32.TYPES {LIST}, %128, %129, "
                   "1, 1, 1SUFFIX;" : OPERANDS : "l"(a), "l"(b) : "memory");
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float sum = 0;
  for (int i = 0; i < 128; ++i) { sum += d[i]; }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
)cu";

std::string replaced(std::string text, std::string_view word, const std::string& with) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + with.size())) {
    text.replace(at, word.size(), with);
  }
  return text;
}

int number_of(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  int number = 0;
  if (arch.starts_with(kPrefix)) {
    std::from_chars(arch.data() + kPrefix.size(), arch.data() + arch.size(), number);
  }
  return number;
}

bool has_wgmma(std::string_view arch) {
  return arch == "sm_90a";
}

/// mma.sync is how its tensor cores are driven.
bool has_fast_mma(std::string_view arch) {
  const int number = number_of(arch);
  return (number >= 80 && number < 90) || number >= 120;
}

/// One launch of `blocks` x `threads`, each of which runs `rounds`.
std::string arithmetic_form(const std::string& source, std::int64_t blocks, int threads, int rounds,
                            double flops) {
  const Json launch = {{"entry", "probe"},
                       {"grid", {blocks}},
                       {"block", {threads}},
                       {"args", {"y", {{"value", rounds}, {"type", "i32"}}}}};
  return Json{
      {"name", "ceiling_probe"},
      {"dims", {{"n", {blocks * threads}}}},
      {"args", {{{"name", "y"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "out"}}}},
      {"flops", static_cast<std::int64_t>(flops)},
      {"reference",
       {{"kind", "kernel"}, {"entry", "probe"}, {"source", source}, {"launches", {launch}}}}}
      .dump();
}

std::string memory_form(bool copy) {
  // Items of 16 bytes: far more than any cache, and so many that the start and the end hardly
  // count.
  constexpr std::int64_t kItems = std::int64_t{32} << 20U;
  constexpr std::int64_t kThreads = 256;
  const Json launch = {{"entry", "probe"},
                       {"grid", {kItems / (kThreads * kLoads)}},
                       {"block", {kThreads}},
                       {"args", {"x", "y", {{"value", kItems}, {"type", "i64"}}}}};
  const auto buffer = [](const char* name, const char* role) {
    return Json{{"name", name}, {"type", "f32"}, {"shape", {"4*n"}}, {"role", role}};
  };
  return Json{{"name", "ceiling_probe"},
              {"dims", {{"n", {kItems}}}},
              {"args", {buffer("x", "in"), buffer("y", "out")}},
              {"bytes", kItems * (copy ? 32 : 16)},
              {"reference",
               {{"kind", "kernel"},
                {"entry", "probe"},
                {"source", "#define COPY " + std::string(copy ? "1" : "0") + "\n#define LOADS " +
                               std::to_string(kLoads) + kMemory},
                {"launches", {launch}}}}}
      .dump();
}

std::string multiply_add_form(std::int64_t processors) {
  constexpr int kThreads = 256;
  constexpr int kRounds = 2048;
  constexpr double kFlopsOfRound = 2.0 * 16 * 4;
  const std::int64_t blocks = processors * 8;
  return arithmetic_form(kMultiplyAdd, blocks, kThreads, kRounds,
                         kFlopsOfRound * kRounds * kThreads * static_cast<double>(blocks));
}

std::string mma_form(const TensorRow& row, std::int64_t processors) {
  constexpr int kThreads = 256;
  constexpr int kRounds = 1024;
  std::string source = replaced(kMma, "SUMS", std::to_string(kWarpSums));
  source = replaced(std::move(source), "DEPTH", std::to_string(row.depth));
  source = replaced(std::move(source), "TYPES", row.types);
  const std::int64_t blocks = processors * 4;
  const double warps = static_cast<double>(blocks) * kThreads / 32;
  return arithmetic_form(source, blocks, kThreads, kRounds,
                         2.0 * 16 * 8 * row.depth * kWarpSums * kRounds * warps);
}

std::string wgmma_form(const TensorRow& row, std::int64_t processors) {
  constexpr int kThreads = 128;
  constexpr int kRounds = 512;
  constexpr int kInRound = 4;
  std::string list;
  std::string operands;
  for (int i = 0; i < kAccumulators; ++i) {
    const std::string number = std::to_string(i);
    list += (i == 0 ? "%" : ", %") + number;
    operands += (i == 0 ? "\"+f\"(d[" : ", \"+f\"(d[") + number + "])";
  }
  std::string source = replaced(kWgmma, "DEPTH", std::to_string(row.depth));
  source = replaced(std::move(source), "TYPES", row.types);
  source = replaced(std::move(source), "SUFFIX", row.suffix);
  source = replaced(std::move(source), "LIST", list);
  source = replaced(std::move(source), "OPERANDS", operands);
  const std::int64_t blocks = processors * 2;
  return arithmetic_form(
      source, blocks, kThreads, kRounds,
      2.0 * 64 * 256 * row.depth * kInRound * kRounds * static_cast<double>(blocks));
}

}  // namespace

bool probes_are_complete(std::string_view arch) {
  return has_wgmma(arch);  // Elsewhere i8, sums in f16 or f4 may run faster than what is probed.
}

std::vector<CeilingProbe> ceiling_probes(std::string_view arch, std::int64_t processors) {
  std::vector<CeilingProbe> probes = {{"copy", memory_form(true)},
                                      {"read", memory_form(false)},
                                      {"f32", multiply_add_form(processors)}};
  for (const TensorRow& row : kTensorRows) {
    if (has_wgmma(arch)) {
      probes.push_back({row.unit, wgmma_form(row, processors)});
    } else if (has_fast_mma(arch) && number_of(arch) >= row.least_arch) {
      probes.push_back({row.unit, mma_form(row, processors)});
    }
  }
  return probes;
}

}  // namespace ws
