// Functions of CUDA's math API and of its integer, conversion and SIMD intrinsics that few kernels
// call: the front end includes them where a source names something that nothing else declares. Each
// is computed as its page says, with one way of rounding where there are several.
#pragma once

// ---- more mathematics ---------------------------------------------------------------------------
WS_D int ws_ilogb(double x) {
  if (x == 0) return INT_MIN;
  if (!isfinite(x)) return isnan(x) ? INT_MIN : INT_MAX;
  int more = 0;
  if (fabs(x) < 0x1p-1022) { x *= 0x1p54; more = -54; }
  return (int)((__builtin_bit_cast(unsigned long long, x) >> 52) & 2047) - 1023 + more;
}
#define WS_FLOAT_AND_DOUBLE(type, f)                                                      \
  WS_D type sinpi##f(type x) {                                                            \
    type r = fmod(x, (type)2);                                                            \
    return rint(r) == r ? copysign((type)0, x) : sin((type)M_PI * r);                     \
  }                                                                                       \
  WS_D type cospi##f(type x) {                                                            \
    type r = fmod(fabs(x), (type)2);                                                      \
    return r == (type)0.5 || r == (type)1.5 ? (type)0 : cos((type)M_PI * r);              \
  }                                                                                       \
  WS_D void sincospi##f(type x, type* s, type* c) { *s = sinpi##f(x); *c = cospi##f(x); } \
  WS_D type rhypot##f(type x, type y) { return 1 / hypot(x, y); }                         \
  WS_D type norm3d##f(type x, type y, type z) { return hypot(hypot(x, y), z); }           \
  WS_D type norm4d##f(type x, type y, type z, type w) {                                   \
    return hypot(hypot(x, y), hypot(z, w));                                               \
  }                                                                                       \
  WS_D type rnorm3d##f(type x, type y, type z) { return 1 / norm3d##f(x, y, z); }         \
  WS_D type rnorm4d##f(type x, type y, type z, type w) { return 1 / norm4d##f(x, y, z, w); } \
  WS_D long lround##f(type x) { return (long)round(x); }                                  \
  WS_D long long llround##f(type x) { return (long long)round(x); }                       \
  WS_D long lrint##f(type x) { return (long)rint(x); }                                    \
  WS_D long long llrint##f(type x) { return (long long)rint(x); }                         \
  WS_D type scalbn##f(type x, int e) { return ldexp(x, e); }                              \
  WS_D int ilogb##f(type x) { return ws_ilogb((double)x); }                        \
  WS_D type logb##f(type x) { return (type)ilogb##f(x); }                                 \
  WS_D type frexp##f(type x, int* e) {                                                    \
    if (x == 0 || !isfinite(x)) { *e = 0; return x; }                                     \
    *e = ilogb##f(x) + 1;                                                                 \
    return ldexp(x, -*e);                                                                 \
  }                                                                                       \
  WS_D type modf##f(type x, type* whole) {                                                \
    *whole = trunc(x);                                                                    \
    return copysign(isinf(x) ? (type)0 : x - *whole, x);                                  \
  }
WS_FLOAT_AND_DOUBLE(float, f)
WS_FLOAT_AND_DOUBLE(double, )
#undef WS_FLOAT_AND_DOUBLE
WS_D double rcbrt(double x) { return 1.0 / cbrt(x); }
WS_D double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
WS_D float fdividef(float x, float y) { return x / y; }
WS_D float nanf(const char*) { return __builtin_nanf(""); }
WS_D double nan(const char*) { return __builtin_nan(""); }
/// Winitzki's approximation, then steps of Halley's method.
WS_D double erfinv(double x) {
  if (!(fabs(x) < 1)) return fabs(x) == 1 ? copysign((double)INFINITY, x) : __builtin_nan("");
  double l = log1p(-x * x), t = 4.3307467508 + l / 2;
  double y = copysign(sqrt(sqrt(t * t - l / 0.147) - t), x);
  for (int i = 0; i < 3; ++i) {
    double error = erf(y) - x, slope = 1.1283791670955126 * exp(-y * y);
    y -= error / (slope + y * error);
  }
  return y;
}
WS_D float erfinvf(float x) { return (float)erfinv((double)x); }
WS_D double erfcinv(double x) { return erfinv(1.0 - x); }
WS_D float erfcinvf(float x) { return (float)erfinv(1.0 - (double)x); }
WS_D double normcdfinv(double x) { return 1.4142135623730951 * erfinv(2 * x - 1); }
WS_D float normcdfinvf(float x) { return (float)normcdfinv((double)x); }

// ---- approximations ------------------------------------------------------------------------------
WS_D void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
WS_D float __tanhf(float x) { return tanhf(x); }

// ---- integers -----------------------------------------------------------------------------------
WS_D unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WS_D unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
WS_D unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
WS_D long long __mul64hi(long long a, long long b) {
  return (long long)(((__int128)a * b) >> 64);
}
WS_D int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
WS_D unsigned __uhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
WS_D unsigned __urhadd(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
WS_D unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
WS_D unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
WS_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32u ? lo : __funnelshift_l(lo, hi, n);
}
WS_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return n >= 32u ? hi : __funnelshift_r(lo, hi, n);
}
WS_D int __dp2a_lo(int a, int b, int c) {
  return c + (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8);
}
WS_D int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
/// The n-th set bit from `base` on, upwards for n > 0, downwards for n < 0; all ones: there is none.
WS_D unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return mask >> base & 1u ? base : ~0u;
  int step = n < 0 ? -1 : 1, left = n * step;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1u) && --left == 0) return (unsigned)at;
  return ~0u;
}
/// True in `all` where the lanes of the mask have one value.
template <class T>
WS_D unsigned __match_all_sync(unsigned mask, T v, int* all) {
  *all = __match_any_sync(mask, v) == mask;
  return *all ? mask : 0u;
}

// ---- atomics of a block or of the system --------------------------------------------------------
#define WS_SCOPED(name)                                                          \
  template <class T, class V>                                                    \
  WS_D T name##_block(T* p, V v) {                                               \
    const ws_rt_in_block scope;                                                  \
    return name(p, (T)v);                                                        \
  }                                                                              \
  template <class T, class V>                                                    \
  WS_D T name##_system(T* p, V v) { return name(p, (T)v); }
WS_SCOPED(atomicAdd)
WS_SCOPED(atomicSub)
WS_SCOPED(atomicMin)
WS_SCOPED(atomicMax)
WS_SCOPED(atomicAnd)
WS_SCOPED(atomicOr)
WS_SCOPED(atomicXor)
WS_SCOPED(atomicExch)
#undef WS_SCOPED
#define WS_SCOPED_COUNT(name)                                                              \
  WS_D unsigned name##_block(unsigned* p, unsigned limit) {                                \
    const ws_rt_in_block scope;                                                            \
    return name(p, limit);                                                                 \
  }                                                                                        \
  WS_D unsigned name##_system(unsigned* p, unsigned limit) { return name(p, limit); }
WS_SCOPED_COUNT(atomicInc)
WS_SCOPED_COUNT(atomicDec)
#undef WS_SCOPED_COUNT
template <class T, class E, class V>
WS_D T atomicCAS_block(T* p, E expected, V v) {
  const ws_rt_in_block scope;
  return atomicCAS(p, (T)expected, (T)v);
}
template <class T, class E, class V>
WS_D T atomicCAS_system(T* p, E expected, V v) { return atomicCAS(p, (T)expected, (T)v); }

#include "warpsmith_rounding.h"
#include "warpsmith_simd.h"
#include "warpsmith_std.h"
