// Arithmetic and conversions with the way of rounding in their names: _rn to nearest, _rd down, _ru up,
// _rz to zero.
#pragma once

WS_RT float ws_rt_rounded_f32(unsigned operation, unsigned mode, float x, float y, float z);
WS_RT double ws_rt_rounded_f64(unsigned operation, unsigned mode, double x, double y, double z);

// ---- arithmetic ---------------------------------------------------------------------------------
#define WS_ROUNDED(type, name, expression)  \
  WS_D type name(type x, type y) {          \
    _Pragma("clang fp contract(off)") return expression; \
  }
WS_ROUNDED(float, __fsub_rn, x - y)
WS_ROUNDED(double, __dadd_rn, x + y)
WS_ROUNDED(double, __dsub_rn, x - y)
WS_ROUNDED(double, __dmul_rn, x * y)
WS_ROUNDED(double, __ddiv_rn, x / y)
#undef WS_ROUNDED
WS_D double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
WS_D double __dsqrt_rn(double x) { return sqrt(x); }
WS_D double __drcp_rn(double x) { return 1.0 / x; }

// The numbers of the operations and of the ways are those of runtime/device/cpu/abi.h.
#define WS_DIRECTED(type, f, prefix, fma_name, way, mode)                                           \
  WS_D type __##prefix##add_##way(type x, type y) { return ws_rt_rounded_##f(0, mode, x, y, 0); }   \
  WS_D type __##prefix##sub_##way(type x, type y) { return ws_rt_rounded_##f(1, mode, x, y, 0); }   \
  WS_D type __##prefix##mul_##way(type x, type y) { return ws_rt_rounded_##f(2, mode, x, y, 0); }   \
  WS_D type fma_name##_##way(type x, type y, type z) { return ws_rt_rounded_##f(3, mode, x, y, z); } \
  WS_D type __##prefix##div_##way(type x, type y) { return ws_rt_rounded_##f(4, mode, x, y, 0); }   \
  WS_D type __##prefix##rcp_##way(type x) { return ws_rt_rounded_##f(4, mode, 1, x, 0); }           \
  WS_D type __##prefix##sqrt_##way(type x) { return ws_rt_rounded_##f(5, mode, x, 0, 0); }
#define WS_DIRECTED_BOTH(way, mode)                          \
  WS_DIRECTED(float, f32, f, __fmaf, way, mode)              \
  WS_DIRECTED(double, f64, d, __fma, way, mode)
WS_DIRECTED_BOTH(rd, 1)
WS_DIRECTED_BOTH(ru, 2)
WS_DIRECTED_BOTH(rz, 3)
#undef WS_DIRECTED_BOTH
#undef WS_DIRECTED

// ---- conversions --------------------------------------------------------------------------------
#define WS_CONVERT(to, name, from, type)                                       \
  WS_D to __##from##2##name##_rn(type x) { return (to)rint(x); }               \
  WS_D to __##from##2##name##_rd(type x) { return (to)floor(x); }              \
  WS_D to __##from##2##name##_ru(type x) { return (to)ceil(x); }               \
  WS_D to __##from##2##name##_rz(type x) { return (to)trunc(x); }
WS_CONVERT(long long, ll, float, float)
WS_CONVERT(unsigned long long, ull, float, float)
WS_CONVERT(int, int, double, double)
WS_CONVERT(unsigned, uint, double, double)
WS_CONVERT(long long, ll, double, double)
WS_CONVERT(unsigned long long, ull, double, double)
#undef WS_CONVERT
WS_D unsigned __float2uint_rz(float x) { return (unsigned)x; }
WS_D unsigned __float2uint_rd(float x) { return (unsigned)floorf(x); }
WS_D unsigned __float2uint_ru(float x) { return (unsigned)ceilf(x); }
WS_D double __int2double_rn(int x) { return (double)x; }
WS_D double __uint2double_rn(unsigned x) { return (double)x; }
WS_D double __ll2double_rn(long long x) { return (double)x; }
WS_D double __ull2double_rn(unsigned long long x) { return (double)x; }
WS_D float __ll2float_rn(long long x) { return (float)x; }
WS_D float __ull2float_rn(unsigned long long x) { return (float)x; }
WS_D double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}
WS_D int __double2hiint(double x) { return (int)(__builtin_bit_cast(long long, x) >> 32); }
WS_D int __double2loint(double x) { return (int)__builtin_bit_cast(long long, x); }

/// An integer with more bits than the float: those that do not fit are cut off, and away from zero the
/// result is the next number.
template <class Float, int Digits>
WS_D Float ws_round_integer(unsigned long long magnitude, bool negative, bool away) {
  int extra = max(0, 64 - Digits - __clzll((long long)magnitude));
  unsigned long long kept = magnitude >> extra;
  if (away && kept << extra != magnitude) ++kept;
  Float value = (Float)kept * (Float)(1ull << extra);
  return negative ? -value : value;
}
#define WS_DIRECTED(to, digits, name, from, type, way, away)                                   \
  WS_D to __##from##2##name##_##way(type x) {                                                  \
    bool negative = x < 0;                                                                     \
    unsigned long long wide = (unsigned long long)x;                                           \
    return ws_round_integer<to, digits>(negative ? 0ull - wide : wide, negative, away);        \
  }
#define WS_DIRECTED_WAYS(to, digits, name, from, type)                  \
  WS_DIRECTED(to, digits, name, from, type, rd, negative)               \
  WS_DIRECTED(to, digits, name, from, type, ru, !negative)              \
  WS_DIRECTED(to, digits, name, from, type, rz, false)
WS_DIRECTED_WAYS(float, 24, float, int, int)
WS_DIRECTED_WAYS(float, 24, float, uint, unsigned)
WS_DIRECTED_WAYS(float, 24, float, ll, long long)
WS_DIRECTED_WAYS(float, 24, float, ull, unsigned long long)
WS_DIRECTED_WAYS(double, 53, double, ll, long long)
WS_DIRECTED_WAYS(double, 53, double, ull, unsigned long long)
#undef WS_DIRECTED_WAYS
#undef WS_DIRECTED

/// The neighbour above a float that is no NaN, or below it.
WS_D float ws_neighbour(float x, bool above) {
  int bits = __float_as_int(x);
  if ((bits & 0x7fffffff) == 0) return __int_as_float(above ? 1 : (int)0x80000001u);
  return __int_as_float((x > 0) == above ? bits + 1 : bits - 1);
}
WS_D float __double2float_rd(double x) {
  float nearest = (float)x;
  return (double)nearest > x ? ws_neighbour(nearest, false) : nearest;
}
WS_D float __double2float_ru(double x) {
  float nearest = (float)x;
  return (double)nearest < x ? ws_neighbour(nearest, true) : nearest;
}
WS_D float __double2float_rz(double x) {
  return x < 0 ? __double2float_ru(x) : __double2float_rd(x);
}
