#include "runtime/compile/hip/spelling.h"

#include <algorithm>
#include <array>

namespace ws::hip {
namespace {

constexpr std::string_view kCommon = R"(#pragma once
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define M_PI 3.14159265358979323846
#define M_LOG2E 1.4426950408889634074
#define M_SQRT1_2 0.70710678118654752440
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2U + 1U)
#define LLONG_MAX __LONG_LONG_MAX__
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MAX LLONG_MAX
#ifndef assert
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
)";

/// HIP's half of the prelude: macros of hip_runtime.h that hiprtc does not have.
constexpr std::string_view kHip = R"(
#ifndef HIP_DYNAMIC_SHARED
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];
#endif
#ifndef hipThreadIdx_x
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#endif
)";

/// CUDA's half of the prelude: warps of 32 lanes. Lanes that are not in a mask are not there when
/// the code is reached together, which CUDA asks for; so the mask is not needed.
constexpr std::string_view kCuda = R"(
#define warpSize 32
#define M_PI_F 3.14159265358979323846f
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define __trap() __builtin_trap()
#define WS_SHUFFLE(name, lane_type)                                              \
  template <class T>                                                             \
  __device__ inline T name##_sync(unsigned, T v, lane_type lane, int width = 32) { \
    static_assert(sizeof(T) <= 8, "warp operations take values of at most 8 bytes"); \
    if constexpr (sizeof(T) <= 4) {                                              \
      unsigned bits = 0;                                                         \
      __builtin_memcpy(&bits, &v, sizeof(T));                                    \
      bits = name(bits, lane, width);                                            \
      __builtin_memcpy(&v, &bits, sizeof(T));                                    \
    } else {                                                                     \
      unsigned long long bits = 0;                                               \
      __builtin_memcpy(&bits, &v, sizeof(T));                                    \
      bits = name(bits, lane, width);                                            \
      __builtin_memcpy(&v, &bits, sizeof(T));                                    \
    }                                                                            \
    return v;                                                                    \
  }
WS_SHUFFLE(__shfl, int)
WS_SHUFFLE(__shfl_up, unsigned)
WS_SHUFFLE(__shfl_down, unsigned)
WS_SHUFFLE(__shfl_xor, int)
#undef WS_SHUFFLE
__device__ inline unsigned __activemask() {
  return (unsigned)(__ballot(1) >> (__lane_id() & 32u));
}
__device__ inline unsigned __ballot_sync(unsigned mask, int p) {
  return (unsigned)(__ballot(p) >> (__lane_id() & 32u)) & mask;
}
__device__ inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
__device__ inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
__device__ inline void __syncwarp(unsigned = 0xffffffffu) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
}
#define WS_LOAD(name) \
  template <class T> __device__ inline T name(const T* p) { return *p; }
WS_LOAD(__ldca) WS_LOAD(__ldcg) WS_LOAD(__ldcs) WS_LOAD(__ldlu)
#undef WS_LOAD
#define WS_STORE(name) \
  template <class T> __device__ inline void name(T* p, T v) { *p = v; }
WS_STORE(__stwb) WS_STORE(__stcg) WS_STORE(__stcs) WS_STORE(__stwt)
#undef WS_STORE
)";

// hiprtc crashes with a header that is empty.
constexpr std::string_view kNothing = "#pragma once\n";

constexpr auto kShims = std::to_array<Shim>({
    {"hip/hip_runtime.h", kNothing},
    {"hip/hip_runtime_api.h", kNothing},
    {"hip/hip_fp16.h", kNothing},
    {"hip/hip_vector_types.h", kNothing},
    {"cuda.h", kNothing},
    {"cuda_runtime.h", kNothing},
    {"cuda_runtime_api.h", kNothing},
    {"cuda_fp16.h", kNothing},
    {"device_launch_parameters.h", kNothing},
    {"math_constants.h", kNothing},
    {"vector_types.h", kNothing},
    {"stdint.h", kNothing},
    {"cstdint", kNothing},
    {"stddef.h", kNothing},
    {"cstddef", kNothing},
    {"math.h", kNothing},
    {"cmath", kNothing},
    {"float.h", kNothing},
    {"cfloat", kNothing},
    {"limits.h", kNothing},
    {"climits", kNothing},
    {"assert.h", kNothing},
    {"cassert", kNothing},
    {"stdio.h", kNothing},
    {"cstdio", kNothing},
});

constexpr const char* kShuffle =
    "HIP's shuffles have no mask: write __shfl(value, lane, width), __shfl_up, __shfl_down or "
    "__shfl_xor; a wavefront has warpSize lanes, 64 on gfx9";
constexpr const char* kVote =
    "HIP's votes have no mask: write __any(p), __all(p), or __ballot(p), which has 64 bits";
constexpr const char* kMatch =
    "AMD's GPUs have no match instruction: go through the lanes with __shfl and compare";
constexpr const char* kReduce =
    "AMD's GPUs have no warp reduction of this name: add up with __shfl_xor over 16, 8, 4, 2, 1";
constexpr const char* kTensor =
    "these are NVIDIA's tensor cores: gfx908 and later gfx9 have __builtin_amdgcn_mfma_*, see the "
    "transformation tensor-core-mfma";
constexpr const char* kAsync =
    "AMD's GPUs have no asynchronous copy to shared memory: load into registers early, store to "
    "shared memory late, as the transformation register-staging does";
constexpr const char* kPtx =
    "inline assembly is PTX here, which AMD's GPUs do not have: write it in C++, or guard it with "
    "#ifdef __CUDA_ARCH__ and write another branch";

struct Advice {
  std::string_view part;  ///< The part of the message.
  const char* text;
  bool hip_too = true;  ///< False: kernels in HIP may mean it.
};

// The only list; the first row that fits counts.
constexpr std::array kAdvice = {
    Advice{"'__shfl_sync'", kShuffle},
    Advice{"'__shfl_up_sync'", kShuffle},
    Advice{"'__shfl_down_sync'", kShuffle},
    Advice{"'__shfl_xor_sync'", kShuffle},
    Advice{"'__ballot_sync'", kVote},
    Advice{"'__any_sync'", kVote},
    Advice{"'__all_sync'", kVote},
    Advice{"'__activemask'", "write __ballot(1), which has 64 bits"},
    Advice{"'__syncwarp'",
           "lanes of a wavefront go in step: write __builtin_amdgcn_wave_barrier(), or "
           "__syncthreads()"},
    Advice{"'__match_", kMatch},
    Advice{"'__reduce_", kReduce},
    Advice{"'__trap'", "write __builtin_trap()"},
    Advice{"'__nanosleep'", "write __builtin_amdgcn_s_sleep(n), about 64 n clocks; n is constant"},
    Advice{"'cooperative_groups.h'",
           "this hiprtc has no cooperative groups: write __syncthreads() and shuffles; a grid's "
           "barrier becomes a second launch"},
    Advice{"'mma.h'", kTensor},
    Advice{"'nvcuda'", kTensor},
    Advice{"'cuda_bf16.h'",
           "this hiprtc has no __nv_bfloat16: keep unsigned short, and shift by 16 to and from "
           "float"},
    Advice{"'cuda/", "libcu++ is not there for AMD's GPUs: write it with builtins"},
    Advice{"'cub/", "CUB is not there for AMD's GPUs: write it with shuffles and shared memory"},
    Advice{"'__pipeline_", kAsync},
    Advice{"'__cvta_generic_to_shared'", kAsync},
    Advice{"'__grid_constant__'", "pass the struct by value without it"},
    Advice{"'__cluster_dims__'", "AMD's GPUs have no clusters of blocks"},
    Advice{"inline assembly", kPtx, false},
    Advice{"inline asm", kPtx, false},
};

}  // namespace

std::string_view prelude(std::string_view language) {
  static const std::string kForCuda = std::string(kCommon) + std::string(kCuda);
  static const std::string kForHip = std::string(kCommon) + std::string(kHip);
  return language == "cuda" ? kForCuda : kForHip;
}

std::span<const Shim> shims() {
  return kShims;
}

std::string types_of(std::size_t index, const std::string& entry) {
  return "warpsmith_types<" + std::to_string(index) + ", decltype(" + entry + ")>";
}

std::string_view type_in(std::size_t index, std::string_view name) {
  const std::string start = "void warpsmith_types<" + std::to_string(index) + ", ";
  constexpr std::string_view kEnd = ">()";
  if (!name.starts_with(start) || !name.ends_with(kEnd)) {
    return {};
  }
  name.remove_prefix(start.size());
  name.remove_suffix(kEnd.size());
  return name;
}

bool is_types_of(std::string_view expression) {
  return expression.starts_with("warpsmith_types<");
}

std::string with_advice(std::string message, std::string_view language) {
  const auto* const row = std::find_if(kAdvice.begin(), kAdvice.end(), [&](const Advice& advice) {
    return message.find(advice.part) != std::string::npos && (advice.hip_too || language == "cuda");
  });
  if (row == kAdvice.end()) {
    return message;
  }
  // clang's own guess would contradict it.
  message.resize(std::min(message.find("; did you mean"), message.size()));
  return message + ": " + row->text;
}

}  // namespace ws::hip
