#include "runtime/compile/nvrtc/shims.h"

#include <array>

namespace ws::nvrtc {
namespace {

// Types and values are those of the toolkit's own headers (cuda/std/cstdint, cuda/std/climits,
// math_constants.h), so that a source may include these too.
constexpr std::string_view kPreludeText = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF __int_as_float(0x7f800000)
#define M_PI 3.14159265358979323846
#define M_PI_F 3.14159265358979323846f
#define M_LOG2E 1.4426950408889634074
#define M_SQRT1_2 0.70710678118654752440
#define M_SQRT2 1.41421356237309504880
#define M_E 2.7182818284590452354
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define CUDART_INF_F __int_as_float(0x7f800000U)
#define CUDART_NAN_F __int_as_float(0x7fffffffU)
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
#define INT_MAX 0x7fffffff
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 0xffffffff
#define LLONG_MAX 0x7fffffffffffffffLL
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MAX LLONG_MAX
)";

/// All of CUB that runs inside a kernel. The toolkit's own includes the device-wide algorithms
/// too, whose host code NVRTC refuses.
constexpr std::string_view kCub = R"(#pragma once
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
)";

/// The prelude says all that kernels take from these.
constexpr std::string_view kNothing = "#pragma once\n";

constexpr auto kShims = std::to_array<Shim>({
    {kPrelude, kPreludeText}, {"stdint.h", kNothing}, {"cstdint", kNothing}, {"stddef.h", kNothing},
    {"cstddef", kNothing},    {"math.h", kNothing},   {"cmath", kNothing},   {"float.h", kNothing},
    {"cfloat", kNothing},     {"limits.h", kNothing}, {"climits", kNothing}, {"assert.h", kNothing},
    {"cassert", kNothing},    {"stdio.h", kNothing},  {"cstdio", kNothing},  {"stdlib.h", kNothing},
    {"cstdlib", kNothing},    {"string.h", kNothing}, {"cstring", kNothing}, {"cub/cub.cuh", kCub},
});

}  // namespace

std::span<const Shim> shims() {
  return kShims;
}

}  // namespace ws::nvrtc
