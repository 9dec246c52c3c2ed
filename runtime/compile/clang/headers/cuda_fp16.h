// half and half2 over the compiler's _Float16: every operation rounds to half, as on the GPU.
#pragma once

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct __half {
  _Float16 ws_value;
  __half() = default;
  __device__ __forceinline__ __half(__half_raw v)
      : ws_value(__builtin_bit_cast(_Float16, v.x)) {}
  __device__ __forceinline__ __half(_Float16 v) : ws_value(v) {}
  __device__ __forceinline__ __half(float v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(double v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(int v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(unsigned v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(long long v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(unsigned long long v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(long v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ __half(unsigned long v) : ws_value((_Float16)v) {}
  __device__ __forceinline__ operator __half_raw() const {
    return {__builtin_bit_cast(unsigned short, ws_value)};
  }
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
WS_D __half __hfma_relu(__half a, __half b, __half c) {
  return __half(fmaxf((float)__hfma(a, b, c), 0.0f));
}
WS_D __half __hadd_rn(__half a, __half b) { return a + b; }
WS_D __half __hsub_rn(__half a, __half b) { return a - b; }
WS_D __half __hmul_rn(__half a, __half b) { return a * b; }
WS_D __half __hadd_sat(__half a, __half b) { return __half(__saturatef((float)(a + b))); }
WS_D __half __hsub_sat(__half a, __half b) { return __half(__saturatef((float)(a - b))); }
WS_D __half __hmul_sat(__half a, __half b) { return __half(__saturatef((float)(a * b))); }
WS_D __half __hfma_sat(__half a, __half b, __half c) {
  return __half(__saturatef((float)__hfma(a, b, c)));
}
WS_D __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
WS_D __half __hmax_nan(__half a, __half b) {
  return a.ws_value != a.ws_value ? a : b.ws_value != b.ws_value ? b : __hmax(a, b);
}
WS_D __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
WS_D __half __hmin_nan(__half a, __half b) {
  return a.ws_value != a.ws_value ? a : b.ws_value != b.ws_value ? b : __hmin(a, b);
}
WS_D bool __hisnan(__half a) { return a.ws_value != a.ws_value; }
WS_D int __hisinf(__half a) { return isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
WS_D __half __float2half(float x) { return __half(x); }
WS_D __half __float2half_rn(float x) { return __half(x); }
WS_D __half __double2half(double x) { return __half(x); }
WS_D float __half2float(__half x) { return (float)x.ws_value; }
WS_D __half __int2half_rn(int x) { return __half(x); }
WS_D int __half2int_rn(__half x) { return (int)rintf((float)x); }
/// Towards zero: what is nearest and lies beyond is one step too far.
WS_D __half __float2half_rz(float x) {
  __half near(x);
  unsigned short bits = __builtin_bit_cast(unsigned short, near.ws_value);
  bits -= fabsf((float)near) > fabsf(x) ? 1 : 0;
  return __half(__builtin_bit_cast(_Float16, bits));
}
WS_D int __half2int_rz(__half x) { return (int)(float)x; }
WS_D int __half2int_rd(__half x) { return (int)floorf((float)x); }
WS_D int __half2int_ru(__half x) { return (int)ceilf((float)x); }
WS_D unsigned __half2uint_rn(__half x) { return (unsigned)rintf((float)x); }
WS_D unsigned __half2uint_rz(__half x) { return (unsigned)(float)x; }
WS_D short __half2short_rn(__half x) { return (short)rintf((float)x); }
WS_D unsigned short __half2ushort_rn(__half x) { return (unsigned short)rintf((float)x); }
WS_D long long __half2ll_rn(__half x) { return (long long)rintf((float)x); }
WS_D __half __uint2half_rn(unsigned x) { return __half(x); }
WS_D __half __short2half_rn(short x) { return __half((int)x); }
WS_D __half __ushort2half_rn(unsigned short x) { return __half((int)x); }
WS_D __half __ll2half_rn(long long x) { return __half(x); }
WS_D short __half_as_short(__half x) { return __builtin_bit_cast(short, x.ws_value); }
WS_D __half __short_as_half(short x) { return __half(__builtin_bit_cast(_Float16, x)); }
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
WS_HALF_MATH(hexp2, exp2f)
WS_HALF_MATH(hexp10, exp10f)
WS_HALF_MATH(hlog2, log2f)
WS_HALF_MATH(hlog10, log10f)
WS_HALF_MATH(htanh, tanhf)
WS_HALF_MATH(htanh_approx, tanhf)
WS_HALF_MATH(htrunc, truncf)
WS_HALF_MATH(hrint, rintf)
#undef WS_HALF_MATH

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __device__ __forceinline__ __half2(__half a, __half b) : x(a), y(b) {}
  __device__ __forceinline__ __half2(__half2_raw v)
      : x(__half_raw{v.x}), y(__half_raw{v.y}) {}
  __device__ __forceinline__ operator __half2_raw() const {
    return {__half_raw(x).x, __half_raw(y).x};
  }
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
WS_D __half2 operator/(__half2 a, __half2 b) { return {a.x / b.x, a.y / b.y}; }
WS_D __half2 operator-(__half2 a) { return {-a.x, -a.y}; }
WS_D __half2& operator+=(__half2& a, __half2 b) { return a = a + b; }
WS_D __half2& operator-=(__half2& a, __half2 b) { return a = a - b; }
WS_D __half2& operator*=(__half2& a, __half2 b) { return a = a * b; }
WS_D __half2& operator/=(__half2& a, __half2 b) { return a = a / b; }
WS_D __half2 __h2div(__half2 a, __half2 b) { return a / b; }
WS_D __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
WS_D __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
WS_D __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
WS_D __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
WS_D __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }

#define WS_HALF2_UNARY(name, function) \
  WS_D __half2 name(__half2 v) { return {function(v.x), function(v.y)}; }
WS_HALF2_UNARY(__hneg2, __hneg)
WS_HALF2_UNARY(__habs2, __habs)
WS_HALF2_UNARY(h2exp, hexp)
WS_HALF2_UNARY(h2exp2, hexp2)
WS_HALF2_UNARY(h2log, hlog)
WS_HALF2_UNARY(h2log2, hlog2)
WS_HALF2_UNARY(h2sqrt, hsqrt)
WS_HALF2_UNARY(h2rsqrt, hrsqrt)
WS_HALF2_UNARY(h2rcp, hrcp)
WS_HALF2_UNARY(h2sin, hsin)
WS_HALF2_UNARY(h2cos, hcos)
WS_HALF2_UNARY(h2tanh, htanh)
WS_HALF2_UNARY(h2floor, hfloor)
WS_HALF2_UNARY(h2ceil, hceil)
WS_HALF2_UNARY(h2rint, hrint)
WS_HALF2_UNARY(h2trunc, htrunc)
#undef WS_HALF2_UNARY
#define WS_HALF2_BINARY(name, function) \
  WS_D __half2 name(__half2 a, __half2 b) { return {function(a.x, b.x), function(a.y, b.y)}; }
WS_HALF2_BINARY(__hmax2, __hmax)
WS_HALF2_BINARY(__hmin2, __hmin)
WS_HALF2_BINARY(__hadd2_sat, __hadd_sat)
WS_HALF2_BINARY(__hsub2_sat, __hsub_sat)
WS_HALF2_BINARY(__hmul2_sat, __hmul_sat)
#undef WS_HALF2_BINARY
// 1 and 0 in each half, and true where both are.
#define WS_HALF2_COMPARE(op)                                                    \
  WS_D __half2 __h##op##2(__half2 a, __half2 b) {                               \
    return {__half((int)__h##op(a.x, b.x)), __half((int)__h##op(a.y, b.y))};    \
  }                                                                             \
  WS_D bool __hb##op##2(__half2 a, __half2 b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }
WS_HALF2_COMPARE(eq)
WS_HALF2_COMPARE(ne)
WS_HALF2_COMPARE(lt)
WS_HALF2_COMPARE(le)
WS_HALF2_COMPARE(gt)
WS_HALF2_COMPARE(ge)
WS_D bool operator==(__half2 a, __half2 b) { return __hbeq2(a, b); }
WS_D bool operator!=(__half2 a, __half2 b) { return __hbne2(a, b); }
WS_D __half2 __hisnan2(__half2 v) {
  return {__half((int)__hisnan(v.x)), __half((int)__hisnan(v.y))};
}
WS_D __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
WS_D __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
#undef WS_HALF2_COMPARE

WS_D __half atomicAdd(__half* p, __half v) {
  unsigned short* bits = (unsigned short*)p;
  unsigned short old = 0, seen;  // The swap tells the right one.
  while ((seen = atomicCAS(bits, old, __half_as_ushort(__ushort_as_half(old) + v))) != old)
    old = seen;
  return __ushort_as_half(old);
}
WS_D __half2 atomicAdd(__half2* p, __half2 v) {
  return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};
}
