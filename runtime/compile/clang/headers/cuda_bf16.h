// __nv_bfloat16: 16 stored bits, arithmetic in float, every operation rounded to nearest even.
#pragma once

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16 {
  unsigned short ws_bits;
  __nv_bfloat16() = default;
  __device__ __forceinline__ __nv_bfloat16(__nv_bfloat16_raw v) : ws_bits(v.x) {}
  __device__ __forceinline__ __nv_bfloat16(float v) {
    unsigned bits = __builtin_bit_cast(unsigned, v);
    // A NaN must not be rounded into an infinity.
    ws_bits = (bits & 0x7fffffffu) > 0x7f800000u
                  ? (unsigned short)0x7fffu
                  : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  __device__ __forceinline__ __nv_bfloat16(double v) : __nv_bfloat16((float)v) {}
#define WS_BF16_FROM(type) \
  __device__ __forceinline__ __nv_bfloat16(type v) : __nv_bfloat16((float)v) {}
  WS_BF16_FROM(int) WS_BF16_FROM(unsigned) WS_BF16_FROM(long) WS_BF16_FROM(unsigned long)
  WS_BF16_FROM(long long) WS_BF16_FROM(unsigned long long)
#undef WS_BF16_FROM
  __device__ __forceinline__ operator __nv_bfloat16_raw() const { return {ws_bits}; }
  __device__ __forceinline__ operator float() const {
    return __builtin_bit_cast(float, (unsigned)ws_bits << 16);
  }
};
typedef __nv_bfloat16 nv_bfloat16;

#define WS_BF16_BINARY(op, name)                                                               \
  WS_D __nv_bfloat16 operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) {             \
    return __nv_bfloat16((float)a op(float) b);                                                \
  }                                                                                            \
  WS_D __nv_bfloat16& operator op##=(__nv_bfloat16& a, const __nv_bfloat16& b) {               \
    return a = a op b;                                                                         \
  }                                                                                            \
  WS_D __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) { return a op b; }
WS_BF16_BINARY(+, __hadd)
WS_BF16_BINARY(-, __hsub)
WS_BF16_BINARY(*, __hmul)
WS_BF16_BINARY(/, __hdiv)
#undef WS_BF16_BINARY
WS_D __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
WS_D __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
WS_D float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
WS_D __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(fmaf((float)a, (float)b, (float)c));
}
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __device__ __forceinline__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
  __device__ __forceinline__ __nv_bfloat162(__nv_bfloat162_raw v)
      : x(__nv_bfloat16_raw{v.x}), y(__nv_bfloat16_raw{v.y}) {}
  __device__ __forceinline__ operator __nv_bfloat162_raw() const { return {x.ws_bits, y.ws_bits}; }
};
typedef __nv_bfloat162 nv_bfloat162;
WS_D __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
WS_D float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
WS_D __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
WS_D __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
WS_D __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
WS_D __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
WS_D __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
WS_D __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
WS_D __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
WS_D float __low2float(__nv_bfloat162 v) { return (float)v.x; }
WS_D float __high2float(__nv_bfloat162 v) { return (float)v.y; }
WS_D __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
WS_D __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
WS_D int __bfloat162int_rn(__nv_bfloat16 x) { return (int)rintf((float)x); }
WS_D int __bfloat162int_rz(__nv_bfloat16 x) { return (int)(float)x; }
WS_D unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.ws_bits; }
WS_D __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 x;
  x.ws_bits = bits;
  return x;
}
WS_D __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.ws_bits ^ 0x8000u); }
WS_D __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.ws_bits & 0x7fffu); }
WS_D __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fmaxf((float)a, (float)b));
}
WS_D __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(fminf((float)a, (float)b));
}
WS_D __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
WS_D __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
WS_D short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.ws_bits; }
WS_D __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16((unsigned short)bits);
}
WS_D __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16(x); }
WS_D __nv_bfloat16 __short2bfloat16_rn(short x) { return __nv_bfloat16((int)x); }
WS_D __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x) { return __nv_bfloat16((int)x); }
WS_D __nv_bfloat16 __ll2bfloat16_rn(long long x) { return __nv_bfloat16(x); }
WS_D unsigned __bfloat162uint_rn(__nv_bfloat16 x) { return (unsigned)rintf((float)x); }
WS_D int __bfloat162int_rd(__nv_bfloat16 x) { return (int)floorf((float)x); }
WS_D int __bfloat162int_ru(__nv_bfloat16 x) { return (int)ceilf((float)x); }
/// Towards zero.
WS_D __nv_bfloat16 __float2bfloat16_rz(float x) {
  return __ushort_as_bfloat16((unsigned short)(__builtin_bit_cast(unsigned, x) >> 16));
}
WS_D __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
WS_D __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
WS_D __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
WS_D __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __saturatef(a + b); }
WS_D __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __saturatef(a - b); }
WS_D __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __saturatef(a * b); }
WS_D __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __saturatef(__hfma(a, b, c));
}
WS_D __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __hmax(__hfma(a, b, c), 0);
}
WS_D __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  return isnan((float)a) ? a : isnan((float)b) ? b : __hmax(a, b);
}
WS_D __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  return isnan((float)a) ? a : isnan((float)b) ? b : __hmin(a, b);
}
WS_D int __hisinf(__nv_bfloat16 a) { return isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
WS_D bool __hisnan(__nv_bfloat16 a) { return isnan((float)a); }
#define WS_BF16_COMPARE(op, name) \
  WS_D bool name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op(float) b; } \
  WS_D bool operator op(const __nv_bfloat16& a, const __nv_bfloat16& b) { return name(a, b); }
WS_BF16_COMPARE(<, __hlt)
WS_BF16_COMPARE(>, __hgt)
WS_BF16_COMPARE(<=, __hle)
WS_BF16_COMPARE(>=, __hge)
WS_BF16_COMPARE(==, __heq)
WS_BF16_COMPARE(!=, __hne)
#undef WS_BF16_COMPARE
#define WS_BF16_MATH(name, function) \
  WS_D __nv_bfloat16 name(__nv_bfloat16 x) { return __nv_bfloat16(function((float)x)); }
WS_BF16_MATH(hexp, expf)
WS_BF16_MATH(hexp2, exp2f)
WS_BF16_MATH(hlog, logf)
WS_BF16_MATH(hlog2, log2f)
WS_BF16_MATH(hsqrt, sqrtf)
WS_BF16_MATH(hrsqrt, rsqrtf)
WS_BF16_MATH(hrcp, __frcp_rn)
WS_BF16_MATH(htanh, tanhf)
WS_BF16_MATH(hfloor, floorf)
WS_BF16_MATH(hceil, ceilf)
WS_BF16_MATH(hsin, sinf)
WS_BF16_MATH(hcos, cosf)
WS_BF16_MATH(hexp10, exp10f)
WS_BF16_MATH(hlog10, log10f)
WS_BF16_MATH(hrint, rintf)
WS_BF16_MATH(htrunc, truncf)
WS_BF16_MATH(htanh_approx, tanhf)
#undef WS_BF16_MATH
#define WS_BF162_BINARY(name, function)                                       \
  WS_D __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b) {              \
    return {function(a.x, b.x), function(a.y, b.y)};                          \
  }
WS_BF162_BINARY(__hadd2, __hadd)
WS_BF162_BINARY(__hsub2, __hsub)
WS_BF162_BINARY(__hmul2, __hmul)
WS_BF162_BINARY(__h2div, __hdiv)
WS_BF162_BINARY(__hmax2, __hmax)
WS_BF162_BINARY(__hmin2, __hmin)
WS_BF162_BINARY(operator+, __hadd)
WS_BF162_BINARY(operator-, __hsub)
WS_BF162_BINARY(operator*, __hmul)
WS_BF162_BINARY(operator/, __hdiv)
WS_BF162_BINARY(__hadd2_sat, __hadd_sat)
WS_BF162_BINARY(__hsub2_sat, __hsub_sat)
WS_BF162_BINARY(__hmul2_sat, __hmul_sat)
#undef WS_BF162_BINARY
#define WS_BF162_ASSIGN(op) \
  WS_D __nv_bfloat162& operator op##=(__nv_bfloat162& a, __nv_bfloat162 b) { return a = a op b; }
WS_BF162_ASSIGN(+)
WS_BF162_ASSIGN(-)
WS_BF162_ASSIGN(*)
WS_BF162_ASSIGN(/)
#undef WS_BF162_ASSIGN
#define WS_BF162_UNARY(name, function) \
  WS_D __nv_bfloat162 name(__nv_bfloat162 v) { return {function(v.x), function(v.y)}; }
WS_BF162_UNARY(operator-, __hneg)
WS_BF162_UNARY(__hneg2, __hneg)
WS_BF162_UNARY(__habs2, __habs)
WS_BF162_UNARY(h2exp, hexp)
WS_BF162_UNARY(h2exp2, hexp2)
WS_BF162_UNARY(h2log, hlog)
WS_BF162_UNARY(h2log2, hlog2)
WS_BF162_UNARY(h2sqrt, hsqrt)
WS_BF162_UNARY(h2rsqrt, hrsqrt)
WS_BF162_UNARY(h2rcp, hrcp)
WS_BF162_UNARY(h2sin, hsin)
WS_BF162_UNARY(h2cos, hcos)
WS_BF162_UNARY(h2tanh, htanh)
WS_BF162_UNARY(h2floor, hfloor)
WS_BF162_UNARY(h2ceil, hceil)
#undef WS_BF162_UNARY
// 1 and 0 in each half, and true where both are.
#define WS_BF162_COMPARE(op)                                                   \
  WS_D __nv_bfloat162 __h##op##2(__nv_bfloat162 a, __nv_bfloat162 b) {         \
    return {__nv_bfloat16((int)__h##op(a.x, b.x)), __nv_bfloat16((int)__h##op(a.y, b.y))}; \
  }                                                                            \
  WS_D bool __hb##op##2(__nv_bfloat162 a, __nv_bfloat162 b) {                  \
    return __h##op(a.x, b.x) && __h##op(a.y, b.y);                             \
  }
WS_BF162_COMPARE(eq)
WS_BF162_COMPARE(ne)
WS_BF162_COMPARE(lt)
WS_BF162_COMPARE(le)
WS_BF162_COMPARE(gt)
WS_BF162_COMPARE(ge)
#undef WS_BF162_COMPARE
WS_D bool operator==(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbeq2(a, b); }
WS_D bool operator!=(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbne2(a, b); }
WS_D __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
WS_D __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
WS_D __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
WS_D __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
WS_D __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return {v.y, v.x}; }
WS_D __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
WS_D __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
WS_D __nv_bfloat16 atomicAdd(__nv_bfloat16* p, __nv_bfloat16 v) {
  unsigned short* bits = (unsigned short*)p;
  unsigned short old = 0, seen;  // The swap tells the right one.
  while ((seen = atomicCAS(bits, old, (__ushort_as_bfloat16(old) + v).ws_bits)) != old) old = seen;
  return __ushort_as_bfloat16(old);
}
WS_D __nv_bfloat162 atomicAdd(__nv_bfloat162* p, __nv_bfloat162 v) {
  return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};
}
