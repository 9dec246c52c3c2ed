// __nv_bfloat16: 16 stored bits, arithmetic in float, every operation rounded to nearest even.
#pragma once

struct __nv_bfloat16 {
  unsigned short ws_bits;
  __nv_bfloat16() = default;
  __device__ __forceinline__ __nv_bfloat16(float v) {
    unsigned bits = __builtin_bit_cast(unsigned, v);
    // A NaN must not be rounded into an infinity.
    ws_bits = (bits & 0x7fffffffu) > 0x7f800000u
                  ? (unsigned short)0x7fffu
                  : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  __device__ __forceinline__ __nv_bfloat16(double v) : __nv_bfloat16((float)v) {}
  __device__ __forceinline__ __nv_bfloat16(int v) : __nv_bfloat16((float)v) {}
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
};
typedef __nv_bfloat162 nv_bfloat162;
WS_D __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
WS_D float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
