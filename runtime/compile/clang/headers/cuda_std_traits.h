// Less common traits and sequences of integers, for cuda_std.h.
#pragma once

namespace cuda {
namespace std {

#define WS_TRAIT(name, expression)                 \
  template <class T>                               \
  struct name : bool_constant<expression> {};      \
  template <class T>                               \
  inline constexpr bool name##_v = expression;
WS_TRAIT(is_volatile, __is_volatile(T))
WS_TRAIT(is_function, __is_function(T))
WS_TRAIT(is_lvalue_reference, __is_lvalue_reference(T))
WS_TRAIT(is_rvalue_reference, __is_rvalue_reference(T))
WS_TRAIT(is_object, __is_object(T))
WS_TRAIT(is_scalar, __is_scalar(T))
WS_TRAIT(is_fundamental, __is_fundamental(T))
WS_TRAIT(is_union, __is_union(T))
WS_TRAIT(is_empty, __is_empty(T))
WS_TRAIT(is_trivial, __is_trivial(T))
WS_TRAIT(is_standard_layout, __is_standard_layout(T))
WS_TRAIT(is_trivially_destructible, __is_trivially_destructible(T))
WS_TRAIT(is_default_constructible, __is_constructible(T))
#undef WS_TRAIT
template <class Base, class T>
struct is_base_of : bool_constant<__is_base_of(Base, T)> {};
template <class T, class... Arguments>
struct is_constructible : bool_constant<__is_constructible(T, Arguments...)> {};
template <class T, class... Arguments>
inline constexpr bool is_constructible_v = __is_constructible(T, Arguments...);
template <class T, class From>
struct is_assignable : bool_constant<__is_assignable(T, From)> {};
template <class T, class From>
inline constexpr bool is_assignable_v = __is_assignable(T, From);

#define WS_TRANSFORM(name, result)   \
  template <class T>                 \
  struct name {                      \
    using type = result;             \
  };                                 \
  template <class T>                 \
  using name##_t = result;
WS_TRANSFORM(add_const, const T)
WS_TRANSFORM(add_volatile, volatile T)
WS_TRANSFORM(add_cv, const volatile T)
WS_TRANSFORM(add_lvalue_reference, __add_lvalue_reference(T))
WS_TRANSFORM(add_rvalue_reference, __add_rvalue_reference(T))
WS_TRANSFORM(remove_all_extents, __remove_all_extents(T))
WS_TRANSFORM(type_identity, T)
#undef WS_TRANSFORM
template <class T>
using remove_volatile_t = typename remove_volatile<T>::type;
template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class A, class B>
struct common_type {
  using type = decay_t<decltype(true ? declval<A>() : declval<B>())>;
};
template <class Function, class... Arguments>
using invoke_result_t = decltype(declval<Function>()(declval<Arguments>()...));

template <class... B>
inline constexpr bool conjunction_v = (bool(B::value) && ...);
template <class... B>
struct conjunction : bool_constant<conjunction_v<B...>> {};
template <class... B>
inline constexpr bool disjunction_v = (bool(B::value) || ...);
template <class... B>
struct disjunction : bool_constant<disjunction_v<B...>> {};
template <class B>
inline constexpr bool negation_v = !bool(B::value);
template <class B>
struct negation : bool_constant<negation_v<B>> {};

template <class T, T... I>
struct integer_sequence {
  using value_type = T;
  static WS_MEMBER size_t size() { return sizeof...(I); }
};
template <size_t... I>
using index_sequence = integer_sequence<size_t, I...>;
template <class T, T N>
using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t N>
using make_index_sequence = make_integer_sequence<size_t, N>;
template <class... T>
using index_sequence_for = make_index_sequence<sizeof...(T)>;

}  // namespace std
}  // namespace cuda
