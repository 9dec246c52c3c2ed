// Math functions and scalar intrinsics. Those of <math.h> come from the worker's libm by name; the
// fast variants (__expf, __fdividef) are computed exactly: nothing is approximated on this engine.
#pragma once

#define WS_M1(name)                                                                       \
  extern "C" __device__ __attribute__((nothrow, const)) float name##f(float);             \
  extern "C" __device__ __attribute__((nothrow, const)) double name(double);              \
  WS_D float name(float x) { return name##f(x); }
#define WS_M2(name)                                                                       \
  extern "C" __device__ __attribute__((nothrow, const)) float name##f(float, float);      \
  extern "C" __device__ __attribute__((nothrow, const)) double name(double, double);      \
  WS_D float name(float x, float y) { return name##f(x, y); }
WS_M1(sin) WS_M1(cos) WS_M1(tan) WS_M1(asin) WS_M1(acos) WS_M1(atan)
WS_M1(sinh) WS_M1(cosh) WS_M1(tanh) WS_M1(asinh) WS_M1(acosh) WS_M1(atanh)
WS_M1(exp) WS_M1(exp2) WS_M1(expm1) WS_M1(log) WS_M1(log2) WS_M1(log10) WS_M1(log1p)
WS_M1(sqrt) WS_M1(cbrt) WS_M1(fabs) WS_M1(floor) WS_M1(ceil) WS_M1(trunc) WS_M1(round)
WS_M1(rint) WS_M1(nearbyint) WS_M1(erf) WS_M1(erfc) WS_M1(tgamma) WS_M1(lgamma)
WS_M2(pow) WS_M2(atan2) WS_M2(fmod) WS_M2(fmin) WS_M2(fmax) WS_M2(hypot) WS_M2(copysign)
WS_M2(fdim) WS_M2(remainder) WS_M2(nextafter)
#undef WS_M1
#undef WS_M2
extern "C" __device__ __attribute__((nothrow, const)) float fmaf(float, float, float);
extern "C" __device__ __attribute__((nothrow, const)) double fma(double, double, double);
extern "C" __device__ __attribute__((nothrow, const)) float ldexpf(float, int);
extern "C" __device__ __attribute__((nothrow, const)) double ldexp(double, int);
WS_D float fma(float a, float b, float c) { return fmaf(a, b, c); }
WS_D float ldexp(float x, int e) { return ldexpf(x, e); }
WS_D float exp10f(float x) { return powf(10.0f, x); }
WS_D double exp10(double x) { return pow(10.0, x); }
WS_D float rsqrtf(float x) { return 1.0f / sqrtf(x); }
WS_D double rsqrt(double x) { return 1.0 / sqrt(x); }
WS_D float rcbrtf(float x) { return 1.0f / cbrtf(x); }
WS_D float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
WS_D void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
WS_D void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
WS_D float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
WS_D float __expf(float x) { return expf(x); }
WS_D float __exp10f(float x) { return exp10f(x); }
WS_D float __logf(float x) { return logf(x); }
WS_D float __log2f(float x) { return log2f(x); }
WS_D float __log10f(float x) { return log10f(x); }
WS_D float __sinf(float x) { return sinf(x); }
WS_D float __cosf(float x) { return cosf(x); }
WS_D float __tanf(float x) { return tanf(x); }
WS_D float __powf(float x, float y) { return powf(x, y); }
WS_D float __fdividef(float x, float y) { return x / y; }
WS_D float __fadd_rn(float x, float y) {
#pragma clang fp contract(off)
  return x + y;
}
WS_D float __fmul_rn(float x, float y) {
#pragma clang fp contract(off)
  return x * y;
}
WS_D float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
WS_D float __frcp_rn(float x) { return 1.0f / x; }
WS_D float __fsqrt_rn(float x) { return sqrtf(x); }
WS_D float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
WS_D float __fdiv_rn(float x, float y) { return x / y; }
WS_D bool isnan(float x) { return __builtin_isnan(x); }
WS_D bool isnan(double x) { return __builtin_isnan(x); }
WS_D bool isinf(float x) { return __builtin_isinf(x); }
WS_D bool isinf(double x) { return __builtin_isinf(x); }
WS_D bool isfinite(float x) { return __builtin_isfinite(x); }
WS_D bool isfinite(double x) { return __builtin_isfinite(x); }
WS_D bool signbit(float x) { return __builtin_signbit(x); }
WS_D bool signbit(double x) { return __builtin_signbit(x); }

#define WS_MIN_MAX(type)                                        \
  WS_D type min(type a, type b) { return b < a ? b : a; }       \
  WS_D type max(type a, type b) { return a < b ? b : a; }
WS_MIN_MAX(int)
WS_MIN_MAX(unsigned)
WS_MIN_MAX(long)
WS_MIN_MAX(unsigned long)
WS_MIN_MAX(long long)
WS_MIN_MAX(unsigned long long)
#undef WS_MIN_MAX
WS_D float min(float a, float b) { return fminf(a, b); }
WS_D float max(float a, float b) { return fmaxf(a, b); }
WS_D double min(double a, double b) { return fmin(a, b); }
WS_D double max(double a, double b) { return fmax(a, b); }
WS_D unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
WS_D unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
WS_D unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
WS_D unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
WS_D double min(float a, double b) { return fmin((double)a, b); }
WS_D double max(float a, double b) { return fmax((double)a, b); }
WS_D int abs(int x) { return x < 0 ? -x : x; }
WS_D long long llabs(long long x) { return x < 0 ? -x : x; }
WS_D long long abs(long long x) { return x < 0 ? -x : x; }
WS_D float abs(float x) { return fabsf(x); }
WS_D double abs(double x) { return fabs(x); }

WS_D int __popc(unsigned x) { return __builtin_popcount(x); }
WS_D int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WS_D int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
WS_D int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
WS_D int __ffs(int x) { return __builtin_ffs(x); }
WS_D int __ffsll(long long x) { return __builtin_ffsll(x); }
WS_D unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
WS_D int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
WS_D int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
WS_D unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
WS_D unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned long long both = ((unsigned long long)b << 32) | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned pick = (s >> (4 * i)) & 7u;
    r |= (unsigned)((both >> (8 * pick)) & 255u) << (8 * i);
  }
  return r;
}
WS_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((((unsigned long long)hi << 32) | lo) << (n & 31u)) >> 32);
}
WS_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)((((unsigned long long)hi << 32) | lo) >> (n & 31u));
}
WS_D int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += (int)(signed char)(a >> (8 * i)) * (int)(signed char)(b >> (8 * i));
  return c;
}
WS_D unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 255u) * (b >> (8 * i) & 255u);
  return c;
}
WS_D int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
WS_D int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WS_D unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
WS_D float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WS_D float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WS_D long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WS_D double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WS_D int __float2int_rn(float x) { return (int)rintf(x); }
WS_D int __float2int_rz(float x) { return (int)x; }
WS_D int __float2int_rd(float x) { return (int)floorf(x); }
WS_D int __float2int_ru(float x) { return (int)ceilf(x); }
WS_D unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }
WS_D float __int2float_rn(int x) { return (float)x; }
WS_D float __uint2float_rn(unsigned x) { return (float)x; }
WS_D float __double2float_rn(double x) { return (float)x; }
template <class T>
struct ws_same_type_of {
  using type = T;
};
/// T where another argument says which.
template <class T>
using ws_same_type = typename ws_same_type_of<T>::type;

/// The load sees what other threads write.
template <class T>
WS_D T __ldcv(const T* p) {
  T v;
  if constexpr (sizeof(T) % 4 == 0) {
    unsigned words[sizeof(T) / 4];
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) words[i] = ((const volatile unsigned*)p)[i];
    __builtin_memcpy(&v, words, sizeof(T));
  } else {
    v = *(const volatile T*)p;
  }
  return v;
}
/// A flag is an integer: a loop may look at one in this way until another thread has set it.
template <class T>
WS_D T __ldcg(const T* p) {
  if constexpr (__is_integral(T)) {
    return *(const volatile T*)p;
  } else {
    return *p;
  }
}
// Functions, not macros: a kernel may have overloads for types of its own.
#define WS_CACHED(load)         \
  template <class T>            \
  WS_D T load(const T* p) {     \
    return *p;                  \
  }
WS_CACHED(__ldg)
WS_CACHED(__ldca)
WS_CACHED(__ldcs)
WS_CACHED(__ldlu)
#undef WS_CACHED
#define WS_CACHED(store)                           \
  template <class T>                               \
  WS_D void store(T* p, const ws_same_type<T>& v) { \
    *p = v;                                        \
  }
WS_CACHED(__stcs)
WS_CACHED(__stcg)
WS_CACHED(__stwb)
WS_CACHED(__stwt)
#undef WS_CACHED
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VALF (__builtin_huge_valf())
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
#define CUDART_INF_F (__builtin_inff())
#define CUDART_NAN_F (__builtin_nanf(""))
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define LLONG_MAX __LONG_LONG_MAX__
#define INT32_MAX __INT_MAX__
#define UINT32_MAX (__INT_MAX__ * 2u + 1u)
#define INT64_MAX __LONG_MAX__
