// Parts of <cuda/std/*> and <cuda/functional> that kernels use: types, limits, pairs and arrays, function
// objects, mathematics. What is missing is an error that names it.
#pragma once

#define WS_HD static __host__ __device__ __forceinline__
#define WS_MEMBER __host__ __device__ __forceinline__ constexpr

namespace cuda {
namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
using byte = unsigned char;

// ---- type traits --------------------------------------------------------------------------------
template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant;
  WS_MEMBER operator T() const { return V; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class A, class B>
struct is_same : bool_constant<__is_same(A, B)> {};
template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool B, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
template <class T>
struct remove_const {
  using type = T;
};
template <class T>
struct remove_const<const T> {
  using type = T;
};
template <class T>
struct remove_volatile {
  using type = T;
};
template <class T>
struct remove_volatile<volatile T> {
  using type = T;
};
#define WS_TRANSFORM(name, builtin)  \
  template <class T>                 \
  struct name {                      \
    using type = builtin(T);         \
  };                                 \
  template <class T>                 \
  using name##_t = builtin(T);
WS_TRANSFORM(remove_reference, __remove_reference_t)
WS_TRANSFORM(remove_cv, __remove_cv)
WS_TRANSFORM(remove_cvref, __remove_cvref)
WS_TRANSFORM(remove_pointer, __remove_pointer)
WS_TRANSFORM(remove_extent, __remove_extent)
WS_TRANSFORM(add_pointer, __add_pointer)
WS_TRANSFORM(decay, __decay)
WS_TRANSFORM(make_unsigned, __make_unsigned)
WS_TRANSFORM(make_signed, __make_signed)
WS_TRANSFORM(underlying_type, __underlying_type)
#undef WS_TRANSFORM
#define WS_TRAIT(name, expression)                 \
  template <class T>                               \
  struct name : bool_constant<expression> {};      \
  template <class T>                               \
  inline constexpr bool name##_v = expression;
WS_TRAIT(is_integral, __is_integral(T))
WS_TRAIT(is_floating_point, __is_floating_point(T))
WS_TRAIT(is_arithmetic, __is_arithmetic(T))
WS_TRAIT(is_signed, __is_signed(T))
WS_TRAIT(is_unsigned, __is_unsigned(T))
WS_TRAIT(is_pointer, __is_pointer(T))
WS_TRAIT(is_reference, __is_reference(T))
WS_TRAIT(is_const, __is_const(T))
WS_TRAIT(is_void, __is_void(T))
WS_TRAIT(is_class, __is_class(T))
WS_TRAIT(is_enum, __is_enum(T))
WS_TRAIT(is_array, __is_array(T))
WS_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
#undef WS_TRAIT
template <class A, class B>
inline constexpr bool is_same_v = __is_same(A, B);
template <class From, class To>
inline constexpr bool is_convertible_v = __is_convertible(From, To);
template <class From, class To>
struct is_convertible : bool_constant<__is_convertible(From, To)> {};
template <class Base, class T>
inline constexpr bool is_base_of_v = __is_base_of(Base, T);
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class...>
using void_t = void;
template <class T>
__host__ __device__ T&& declval() noexcept;
template <class A, class B>
using common_type_t = decay_t<decltype(true ? declval<A>() : declval<B>())>;

}  // namespace std
}  // namespace cuda

#include "cuda_std_traits.h"

namespace cuda {
namespace std {

// ---- utilities ----------------------------------------------------------------------------------
template <class T>
WS_HD constexpr T&& forward(remove_reference_t<T>& v) { return static_cast<T&&>(v); }
template <class T>
WS_HD constexpr remove_reference_t<T>&& move(T&& v) {
  return static_cast<remove_reference_t<T>&&>(v);
}
template <class T>
WS_HD constexpr void swap(T& a, T& b) {
  T kept = a;
  a = b;
  b = kept;
}
template <class T>
WS_HD constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T>
WS_HD constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T>
WS_HD constexpr const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
template <class To, class From>
WS_HD constexpr To bit_cast(const From& from) { return __builtin_bit_cast(To, from); }

template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
};
template <class A, class B>
pair(A, B) -> pair<A, B>;
template <class A, class B>
WS_HD constexpr pair<A, B> make_pair(A a, B b) { return {a, b}; }

template <class T, size_t N>
struct array {
  using value_type = T;
  T ws_values[N];
  WS_MEMBER T& operator[](size_t i) { return ws_values[i]; }
  WS_MEMBER const T& operator[](size_t i) const { return ws_values[i]; }
  WS_MEMBER T* data() { return ws_values; }
  WS_MEMBER const T* data() const { return ws_values; }
  WS_MEMBER T* begin() { return ws_values; }
  WS_MEMBER T* end() { return ws_values + N; }
  WS_MEMBER const T* begin() const { return ws_values; }
  WS_MEMBER const T* end() const { return ws_values + N; }
  WS_MEMBER T& front() { return ws_values[0]; }
  WS_MEMBER T& back() { return ws_values[N - 1]; }
  WS_MEMBER size_t size() const { return N; }
  WS_MEMBER void fill(const T& v) {
    for (size_t i = 0; i < N; ++i) ws_values[i] = v;
  }
};

}  // namespace std
}  // namespace cuda

#include "cuda_std_numbers.h"
