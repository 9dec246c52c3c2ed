// The numbers' part of cuda_std.h: limits, function objects, mathematics, tuples.
#pragma once

namespace cuda {
namespace std {

// ---- limits -------------------------------------------------------------------------------------
template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = false;
};
#define WS_LIMITS(type, least, smallest, most, count)                                   \
  template <>                                                                           \
  struct numeric_limits<type> {                                                         \
    static constexpr bool is_specialized = true;                                        \
    static constexpr bool is_signed = (type)-1 < (type)0;                               \
    static constexpr bool is_integer = __is_integral(type);                             \
    static constexpr int digits = count;                                                \
    static WS_MEMBER type min() { return smallest; }                                    \
    static WS_MEMBER type lowest() { return least; }                                    \
    static WS_MEMBER type max() { return most; }                                        \
    static WS_MEMBER type infinity() { return is_integer ? (type)0 : (type)__builtin_inff(); } \
    static WS_MEMBER type quiet_NaN() { return is_integer ? (type)0 : (type)__builtin_nanf(""); } \
    static WS_MEMBER type epsilon() {                                                   \
      return is_integer ? (type)0 : (type)(sizeof(type) == 4 ? __FLT_EPSILON__ : __DBL_EPSILON__); \
    }                                                                                   \
  };
#define WS_UNSIGNED(type) WS_LIMITS(type, 0, 0, (type) ~(type)0, 8 * sizeof(type))
#define WS_SIGNED(type, most) WS_LIMITS(type, -most - 1, -most - 1, most, 8 * sizeof(type) - 1)
WS_UNSIGNED(unsigned char)
WS_UNSIGNED(unsigned short)
WS_UNSIGNED(unsigned)
WS_UNSIGNED(unsigned long)
WS_UNSIGNED(unsigned long long)
WS_SIGNED(signed char, __SCHAR_MAX__)
WS_SIGNED(char, __SCHAR_MAX__)
WS_SIGNED(short, __SHRT_MAX__)
WS_SIGNED(int, __INT_MAX__)
WS_SIGNED(long, __LONG_MAX__)
WS_SIGNED(long long, __LONG_LONG_MAX__)
WS_LIMITS(float, -__FLT_MAX__, __FLT_MIN__, __FLT_MAX__, 24)
WS_LIMITS(double, -__DBL_MAX__, __DBL_MIN__, __DBL_MAX__, 53)
#undef WS_UNSIGNED
#undef WS_SIGNED
#undef WS_LIMITS

// ---- function objects ---------------------------------------------------------------------------
#define WS_OPERATION(name, expression)                              \
  template <class T = void>                                         \
  struct name {                                                     \
    template <class A, class B>                                     \
    WS_MEMBER auto operator()(const A& a, const B& b) const {       \
      return expression;                                            \
    }                                                               \
  };
WS_OPERATION(plus, a + b)
WS_OPERATION(minus, a - b)
WS_OPERATION(multiplies, a* b)
WS_OPERATION(divides, a / b)
WS_OPERATION(modulus, a % b)
WS_OPERATION(bit_and, a& b)
WS_OPERATION(bit_or, a | b)
WS_OPERATION(bit_xor, a ^ b)
WS_OPERATION(less, a < b)
WS_OPERATION(greater, a > b)
WS_OPERATION(less_equal, a <= b)
WS_OPERATION(greater_equal, a >= b)
WS_OPERATION(equal_to, a == b)
WS_OPERATION(not_equal_to, a != b)
WS_OPERATION(logical_and, a && b)
WS_OPERATION(logical_or, a || b)

// ---- mathematics --------------------------------------------------------------------------------
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::ceil;
using ::cos;
using ::cosh;
using ::erf;
using ::exp;
using ::exp2;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::pow;
using ::rint;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;

// ---- tuples -------------------------------------------------------------------------------------
template <class... T>
struct tuple {};
template <class T, class... Rest>
struct tuple<T, Rest...> {
  T ws_first;
  tuple<Rest...> ws_rest;
  tuple() = default;
  WS_MEMBER tuple(T first, Rest... rest) : ws_first(first), ws_rest(rest...) {}
};
template <class... T>
tuple(T...) -> tuple<T...>;
template <class... T>
WS_HD constexpr tuple<T...> make_tuple(T... values) { return tuple<T...>(values...); }
template <size_t I, class... T>
WS_HD constexpr auto& get(tuple<T...>& values) {
  if constexpr (I == 0) return values.ws_first;
  else return get<I - 1>(values.ws_rest);
}
template <size_t I, class... T>
WS_HD constexpr const auto& get(const tuple<T...>& values) {
  if constexpr (I == 0) return values.ws_first;
  else return get<I - 1>(values.ws_rest);
}

}  // namespace std

template <class T = void>
struct maximum {
  template <class A>
  WS_MEMBER A operator()(const A& a, const A& b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
  template <class A>
  WS_MEMBER A operator()(const A& a, const A& b) const { return b < a ? b : a; }
};

}  // namespace cuda
