// half and half2 over the compiler's _Float16: every operation rounds to half, as on the GPU.
#pragma once

struct __half {
  _Float16 ws_value;
  __half() = default;
  __device__ __forceinline__ __half(_Float16 v) : ws_value(v) {}
  __device__ __forceinline__ __half(float v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(double v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(int v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(unsigned v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(long long v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ operator float() const { return (float)ws_value; }
};
typedef __half half;

#define WS_HALF_BINARY(op, name)                                                             \
  WS_D __half operator op(const __half& a, const __half& b) {                                \
    return __half((_Float16)(a.ws_value op b.ws_value));                                     \
  }                                                                                          \
  WS_D __half& operator op##=(__half& a, const __half& b) { return a = a op b; }             \
  WS_D __half name(__half a, __half b) { return a op b; }
WS_HALF_BINARY(+, __hadd)
WS_HALF_BINARY(-, __hsub)
WS_HALF_BINARY(*, __hmul)
WS_HALF_BINARY(/, __hdiv)
#undef WS_HALF_BINARY
#define WS_HALF_COMPARE(op, name)                                                             \
  WS_D bool operator op(const __half& a, const __half& b) { return a.ws_value op b.ws_value; } \
  WS_D bool name(__half a, __half b) { return a.ws_value op b.ws_value; }
WS_HALF_COMPARE(<, __hlt)
WS_HALF_COMPARE(>, __hgt)
WS_HALF_COMPARE(<=, __hle)
WS_HALF_COMPARE(>=, __hge)
WS_HALF_COMPARE(==, __heq)
WS_HALF_COMPARE(!=, __hne)
#undef WS_HALF_COMPARE
WS_D __half operator-(const __half& a) { return __half((_Float16)-a.ws_value); }
WS_D __half __hneg(__half a) { return -a; }
WS_D __half __habs(__half a) { return a.ws_value < 0 ? -a : a; }
WS_D __half __hfma(__half a, __half b, __half c) {
  // A product of two halves is exact in double, and so is its sum with a half where it matters: one
  // rounding, as a fused multiply-add has.
  return __half((double)a.ws_value * (double)b.ws_value + (double)c.ws_value);
}
WS_D __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
WS_D __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
WS_D bool __hisnan(__half a) { return a.ws_value != a.ws_value; }
WS_D __half __float2half(float x) { return __half(x); }
WS_D __half __float2half_rn(float x) { return __half(x); }
WS_D __half __double2half(double x) { return __half(x); }
WS_D float __half2float(__half x) { return (float)x.ws_value; }
WS_D __half __int2half_rn(int x) { return __half(x); }
WS_D int __half2int_rn(__half x) { return (int)rintf((float)x); }
WS_D unsigned short __half_as_ushort(__half x) {
  return __builtin_bit_cast(unsigned short, x.ws_value);
}
WS_D __half __ushort_as_half(unsigned short x) {
  return __half(__builtin_bit_cast(_Float16, x));
}
#define WS_HALF_MATH(name, function) \
  WS_D __half name(__half x) { return __half(function((float)x)); }
WS_HALF_MATH(hexp, expf)
WS_HALF_MATH(hlog, logf)
WS_HALF_MATH(hsqrt, sqrtf)
WS_HALF_MATH(hrsqrt, rsqrtf)
WS_HALF_MATH(hsin, sinf)
WS_HALF_MATH(hcos, cosf)
WS_HALF_MATH(hfloor, floorf)
WS_HALF_MATH(hceil, ceilf)
WS_HALF_MATH(hrcp, __frcp_rn)
#undef WS_HALF_MATH

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
};
typedef __half2 half2;
WS_D __half2 make_half2(__half x, __half y) { return __half2{x, y}; }
WS_D __half2 __halves2half2(__half x, __half y) { return __half2{x, y}; }
WS_D __half2 __half2half2(__half x) { return __half2{x, x}; }
WS_D __half2 __float2half2_rn(float x) { return __half2{__half(x), __half(x)}; }
WS_D __half2 __floats2half2_rn(float x, float y) { return __half2{__half(x), __half(y)}; }
WS_D __half2 __float22half2_rn(float2 v) { return __half2{__half(v.x), __half(v.y)}; }
WS_D float2 __half22float2(__half2 v) { return make_float2((float)v.x, (float)v.y); }
WS_D __half __low2half(__half2 v) { return v.x; }
WS_D __half __high2half(__half2 v) { return v.y; }
WS_D float __low2float(__half2 v) { return (float)v.x; }
WS_D float __high2float(__half2 v) { return (float)v.y; }
WS_D __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
WS_D __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
WS_D __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
WS_D __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
WS_D __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
WS_D __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
WS_D __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
