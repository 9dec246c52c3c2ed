// 8-bit floats: e4m3 (no infinity, largest value 448) and e5m2 (largest 57344), their conversions with and
// without saturation, rounded to nearest even, and vectors of two and four.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/// A value in steps of the last place that it has in 8 bits; denormals share the smallest step.
WS_D __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                               __nv_fp8_interpretation_t kind) {
  const bool e4m3 = kind == __NV_E4M3;
  const int mantissa = e4m3 ? 3 : 2, smallest = e4m3 ? -6 : -14;
  const unsigned char most = e4m3 ? 0x7e : 0x7b;
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  const unsigned char sign = (unsigned char)(bits >> 63 << 7);
  if (isnan(x)) return sign | 0x7f;
  int exponent = (int)(bits >> 52 & 2047) - 1023;
  exponent = exponent < smallest ? smallest : exponent;
  // Beyond 2^20 everything overflows; steps then still fit an int.
  const int steps = exponent > 20 ? 1 << 20 : (int)rint(ldexp(fabs(x), mantissa - exponent));
  const int code = exponent > 20 ? steps : steps + ((exponent - smallest) << mantissa);
  if (code <= most) return sign | (unsigned char)code;
  return sign | (saturate == __NV_SATFINITE ? most : e4m3 ? 0x7f : 0x7c);
}

WS_D float ws_fp8_value(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return (float)__half(__half_raw{(unsigned short)(x << 8)});
  // The bits as those of a float, whose exponent counts from another place.
  const unsigned bits = (unsigned)(x & 0x7f) << 20;
  const float value = (x & 0x7f) == 0x7f ? NAN : __uint_as_float(bits) * 0x1p120f;
  return x & 0x80 ? -value : value;
}

WS_D __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                              __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8((double)x, saturate, kind);
}
WS_D __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8((double)(float)__half(x), saturate, kind);
}
WS_D __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind) {
  return __nv_cvt_double_to_fp8((double)(float)__nv_bfloat16(x), saturate, kind);
}
#define WS_FP8_PAIR(name, one, type, first, second)                                        \
  WS_D __nv_fp8x2_storage_t name(type v, __nv_saturation_t saturate,                       \
                                 __nv_fp8_interpretation_t kind) {                         \
    return (__nv_fp8x2_storage_t)(one(first, saturate, kind) | one(second, saturate, kind) << 8); \
  }
WS_FP8_PAIR(__nv_cvt_float2_to_fp8x2, __nv_cvt_float_to_fp8, float2, v.x, v.y)
WS_FP8_PAIR(__nv_cvt_double2_to_fp8x2, __nv_cvt_double_to_fp8, double2, v.x, v.y)
WS_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __nv_cvt_halfraw_to_fp8, __half2_raw, __half_raw{v.x},
            __half_raw{v.y})
WS_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat162_raw,
            __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef WS_FP8_PAIR
WS_D __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half(ws_fp8_value(x, kind));
}
WS_D __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                            __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw((unsigned char)x, kind).x,
          __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), kind).x};
}

#define WS_FP8_FROM(name, type, kind)              \
  explicit __device__ __forceinline__ name(type v) \
      : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, kind)) {}
#define WS_FP8_TO(type, kind)                                    \
  explicit __device__ __forceinline__ operator type() const {    \
    return (type)ws_fp8_value(__x, kind);                        \
  }
#define WS_FP8_TYPES(kind, one, two, four)                                                      \
  struct one {                                                                                  \
    __nv_fp8_storage_t __x;                                                                     \
    one() = default;                                                                            \
    WS_FP8_FROM(one, float, kind) WS_FP8_FROM(one, double, kind) WS_FP8_FROM(one, int, kind)    \
    WS_FP8_FROM(one, unsigned, kind) WS_FP8_FROM(one, long, kind)                               \
    WS_FP8_FROM(one, unsigned long, kind) WS_FP8_FROM(one, long long, kind)                     \
    WS_FP8_FROM(one, unsigned long long, kind)                                                  \
    explicit __device__ __forceinline__ one(__half v) : one((float)v) {}                        \
    explicit __device__ __forceinline__ one(__nv_bfloat16 v) : one((float)v) {}                 \
    WS_FP8_TO(float, kind) WS_FP8_TO(double, kind) WS_FP8_TO(int, kind)                         \
    WS_FP8_TO(unsigned, kind) WS_FP8_TO(short, kind) WS_FP8_TO(long long, kind)                 \
    WS_FP8_TO(__half, kind) WS_FP8_TO(__nv_bfloat16, kind)                                      \
    explicit __device__ __forceinline__ operator bool() const { return (__x & 0x7f) != 0; }     \
  };                                                                                            \
  struct __attribute__((aligned(2))) two {                                                      \
    __nv_fp8x2_storage_t __x;                                                                   \
    two() = default;                                                                            \
    explicit __device__ __forceinline__ two(float2 v)                                           \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                             \
    explicit __device__ __forceinline__ two(double2 v)                                          \
        : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                            \
    explicit __device__ __forceinline__ two(__half2 v) : two(__half22float2(v)) {}              \
    explicit __device__ __forceinline__ two(__nv_bfloat162 v) : two(__bfloat1622float2(v)) {}   \
    explicit __device__ __forceinline__ operator float2() const {                               \
      return {ws_fp8_value((unsigned char)__x, kind),                                           \
              ws_fp8_value((unsigned char)(__x >> 8), kind)};                                   \
    }                                                                                           \
    explicit __device__ __forceinline__ operator __half2() const {                              \
      return __nv_cvt_fp8x2_to_halfraw2(__x, kind);                                             \
    }                                                                                           \
  };                                                                                            \
  struct __attribute__((aligned(4))) four {                                                     \
    __nv_fp8x4_storage_t __x;                                                                   \
    four() = default;                                                                           \
    explicit __device__ __forceinline__ four(float4 v)                                          \
        : __x((unsigned)two(make_float2(v.x, v.y)).__x |                                        \
              (unsigned)two(make_float2(v.z, v.w)).__x << 16) {}                                \
    explicit __device__ __forceinline__ four(__half2 low, __half2 high)                         \
        : __x((unsigned)two(low).__x | (unsigned)two(high).__x << 16) {}                        \
    explicit __device__ __forceinline__ four(__nv_bfloat162 low, __nv_bfloat162 high)           \
        : __x((unsigned)two(low).__x | (unsigned)two(high).__x << 16) {}                        \
    explicit __device__ __forceinline__ operator float4() const {                               \
      return {ws_fp8_value((unsigned char)__x, kind),                                           \
              ws_fp8_value((unsigned char)(__x >> 8), kind),                                    \
              ws_fp8_value((unsigned char)(__x >> 16), kind),                                   \
              ws_fp8_value((unsigned char)(__x >> 24), kind)};                                  \
    }                                                                                           \
  };
WS_FP8_TYPES(__NV_E4M3, __nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3)
WS_FP8_TYPES(__NV_E5M2, __nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2)
#undef WS_FP8_TYPES
#undef WS_FP8_FROM
#undef WS_FP8_TO
