// nvcuda::wmma on the CPU engine: products by the lanes of a warp. Where an element lies is the
// engine's own: the elements of a matrix lie row by row over the lanes, each with as many neighbours.
// On a GPU it is not said either, but fragments of a and b may have twice as many elements there. Sums of
// half, bfloat16 and tf32 are made in float, in the order of k; those of half are rounded once.
// Fragments of 4 bits and of bits are errors.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}

enum layout_t { mem_row_major, mem_col_major };

template <class A, class B>
inline constexpr bool ws_same = false;
template <class A>
inline constexpr bool ws_same<A, A> = true;
template <class T, class... Some>
inline constexpr bool ws_one_of = (ws_same<T, Some> || ...);

/// The type of an element in memory, and of the sums of its products.
template <class T>
struct ws_types {
  using stored = T;
  using sum = float;
};
template <>
struct ws_types<precision::tf32> {
  using stored = float;
  using sum = float;
};
template <>
struct ws_types<double> {
  using stored = double;
  using sum = double;
};
template <>
struct ws_types<signed char> {
  using stored = signed char;
  using sum = int;
};
template <>
struct ws_types<unsigned char> {
  using stored = unsigned char;
  using sum = int;
};

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static constexpr bool kSum = ws_same<Use, accumulator>;
  static constexpr bool kBlock = (M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32);
  static constexpr bool kSmall = K == 16 && kBlock;
  static constexpr bool kTf32 = M == 16 && N == 16 && K == 8;
  static constexpr bool kDouble = M == 8 && N == 8 && K == 4;
  static constexpr bool kTypes =
      kSmall   ? kSum ? ws_one_of<T, float, __half, int>
                      : ws_one_of<T, __half, __nv_bfloat16, signed char, unsigned char>
      : kTf32  ? kSum ? ws_same<T, float> : ws_same<T, precision::tf32>
               : ws_same<T, double>;
  static constexpr bool kLayout =
      kSum ? ws_same<Layout, void> : ws_same<Layout, row_major> || ws_same<Layout, col_major>;
  static_assert(kSmall || kTf32 || kDouble,
                "wmma here has 16x16x16, 32x8x16, 8x32x16, 16x16x8 for tf32, and 8x8x4 for double");
  static_assert(!(kSmall || kTf32 || kDouble) || kTypes, "wmma has no such type in this shape here");
  static_assert(kLayout, "matrix_a and matrix_b have a layout, an accumulator has none");

 public:
  static constexpr int ws_rows = ws_same<Use, matrix_b> ? K : M;
  static constexpr int ws_columns = ws_same<Use, matrix_a> ? K : N;
  using element_type = T;
  using storage_element_type = typename ws_types<T>::stored;
  static constexpr int num_elements = ws_rows * ws_columns / 32;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

WS_D unsigned ws_lane() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
}

/// Where element i of the calling lane lies.
template <class Fragment>
WS_D size_t ws_place(unsigned i, unsigned stride, bool by_rows) {
  unsigned at = ws_lane() * Fragment::num_elements + i;
  unsigned row = at / Fragment::ws_columns, column = at % Fragment::ws_columns;
  return by_rows ? (size_t)row * stride + column : (size_t)column * stride + row;
}

/// CUDA C++ Programming Guide: a multiple of 16 bytes.
template <class T>
WS_D void ws_check_stride(unsigned stride) {
  assert(stride * sizeof(T) % 16 == 0);
}

/// Whether the elements of a lane are neighbours in memory.
template <class Fragment>
WS_D bool ws_neighbours_in_memory(bool by_rows) {
  return by_rows && Fragment::ws_columns % Fragment::num_elements == 0;
}

template <class Fragment, class T>
WS_D void ws_load(Fragment& to, const T* from, unsigned stride, bool by_rows) {
  ws_check_stride<T>(stride);
  __syncwarp();
  if (ws_neighbours_in_memory<Fragment>(by_rows)) {
    memcpy(to.x, from + ws_place<Fragment>(0, stride, by_rows), sizeof(to.x));
  } else {
    for (unsigned i = 0; i < to.num_elements; ++i)
      to.x[i] = from[ws_place<Fragment>(i, stride, by_rows)];
  }
}

template <class Use, int M, int N, int K, class T, class Layout>
WS_D void fill_fragment(fragment<Use, M, N, K, T, Layout>& to,
                        const ws_same_type<typename ws_types<T>::stored>& value) {
  for (unsigned i = 0; i < to.num_elements; ++i)
    to.x[i] = value;
}

template <class Use, int M, int N, int K, class T, class Layout>
WS_D void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to,
                           const typename ws_types<T>::stored* from, unsigned stride) {
  ws_load(to, from, stride, ws_same<Layout, row_major>);
}

template <int M, int N, int K, class T>
WS_D void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* from, unsigned stride,
                           layout_t layout) {
  ws_load(to, from, stride, layout == mem_row_major);
}

template <int M, int N, int K, class T>
WS_D void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                            layout_t layout) {
  using Fragment = fragment<accumulator, M, N, K, T>;
  ws_check_stride<T>(stride);
  const bool by_rows = layout == mem_row_major;
  if (ws_neighbours_in_memory<Fragment>(by_rows)) {
    memcpy(to + ws_place<Fragment>(0, stride, by_rows), from.x, sizeof(from.x));
  } else {
    for (unsigned i = 0; i < from.num_elements; ++i)
      to[ws_place<Fragment>(i, stride, by_rows)] = from.x[i];
  }
  __syncwarp();
}

/// Rounded to the 10 bits after the point that products of tf32 use.
WS_D float __float_to_tf32(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

/// A factor as the product sees it.
template <class T>
WS_D typename ws_types<T>::sum ws_factor(typename ws_types<T>::stored v) {
  if constexpr (ws_same<T, precision::tf32>) {
    return __uint_as_float(__float_as_uint(v) & 0xffffe000u);
  } else {
    return (typename ws_types<T>::sum)v;
  }
}

/// Neighbours in a row: the processor adds their products at once.
template <class Sum, int N>
using ws_neighbours __attribute__((ext_vector_type(N))) = Sum;

template <class Vector>
WS_D Vector ws_add_products(Vector a, Vector b, Vector c) {
  if constexpr (ws_same<decltype(a[0] + a[0]), int>) {
    return a * b + c;
  } else {
    return __builtin_elementwise_fma(a, b, c);
  }
}

/// The accumulators of a lane are neighbours in one row: it takes that row of a, and of each row of b
/// the columns that it has. All lanes meet once, and then read what they need of each other.
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class D, class C>
WS_D void mma_sync(fragment<accumulator, M, N, K, D>& d,
                   const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                   const fragment<matrix_b, M, N, K, T, LayoutB>& b,
                   const fragment<accumulator, M, N, K, C>& c) {
  using Stored = typename ws_types<T>::stored;
  using Sum = typename ws_types<T>::sum;
  using Word = unsigned long long;
  constexpr int kA = M * K / 32, kB = K * N / 32, kD = M * N / 32;
  constexpr int kPart = kB < kD ? kB : kD;  // So many columns of its own lie in one lane of b.
  constexpr int kWordsA = (sizeof(a.x) + 7) / 8, kWordsB = (sizeof(b.x) + 7) / 8;
  Word own_a[kWordsA] = {}, own_b[kWordsB] = {};
  memcpy(own_a, a.x, sizeof(a.x));
  memcpy(own_b, b.x, sizeof(b.x));
  __syncwarp();
  const unsigned first = ws_lane() * kD, row = first / N, column = first % N;
  Stored row_of_a[kA < K ? K : kA];
#pragma unroll
  for (unsigned k = 0; k < K; k += kA < K ? kA : K) {
    Word words[kWordsA];
#pragma unroll
    for (int i = 0; i < kWordsA; ++i)
      words[i] = __shfl_sync(0xffffffffu, own_a[i], (int)((row * K + k) / kA));
    memcpy(row_of_a + k, words, sizeof(a.x));
  }
  ws_neighbours<Sum, kPart> sum[kD / kPart];
  for (unsigned i = 0; i < kD; ++i)
    sum[i / kPart][i % kPart] = (Sum)c.x[i];
  for (unsigned k = 0; k < K; ++k) {
    const Sum factor = ws_factor<T>(row_of_a[(row * K) % kA * (kA > K) + k]);
#pragma unroll
    for (unsigned i = 0; i < kD; i += kPart) {
      const unsigned at = k * N + column + i;
      Word words[kWordsB];
#pragma unroll
      for (int j = 0; j < kWordsB; ++j)
        words[j] = __shfl_sync(0xffffffffu, own_b[j], (int)(at / kB));
      Stored part[kB];
      memcpy(part, words, sizeof(part));
      ws_neighbours<Sum, kPart> factors;
#pragma unroll
      for (unsigned j = 0; j < kPart; ++j) {
        Stored factor_of_b = part[j];
#pragma unroll
        for (unsigned other = kPart; other < kB; other += kPart)
          factor_of_b = at % kB == other ? part[other + j] : factor_of_b;
        factors[j] = ws_factor<T>(factor_of_b);
      }
      sum[i / kPart] = ws_add_products<ws_neighbours<Sum, kPart>>(factor, factors, sum[i / kPart]);
    }
  }
  for (unsigned i = 0; i < kD; ++i)
    d.x[i] = (D)sum[i / kPart][i % kPart];
}

}  // namespace wmma
}  // namespace nvcuda
