// nvcuda::wmma on the CPU engine: products of 16 x 16 x 16 of half or bfloat16 by the lanes of a
// warp. Where an element lies is the engine's own: lane l has 8 neighbours of row l / 2. On a GPU
// it is not said either, but fragments of a and b have twice as many elements there. Sums are made
// in float, in the order of k; those of half are rounded once. Other shapes and types are errors.
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

enum layout_t { mem_row_major, mem_col_major };

template <class A, class B>
inline constexpr bool ws_same = false;
template <class A>
inline constexpr bool ws_same<A, A> = true;

template <class T>
inline constexpr bool ws_small = ws_same<T, __half> || ws_same<T, __nv_bfloat16>;

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static constexpr bool kSum = ws_same<Use, accumulator>;
  static constexpr bool kShape = M == 16 && N == 16 && K == 16;
  static constexpr bool kTypes = kSum ? ws_same<T, float> || ws_same<T, __half> : ws_small<T>;
  static constexpr bool kLayout =
      kSum ? ws_same<Layout, void> : ws_same<Layout, row_major> || ws_same<Layout, col_major>;
  static_assert(kShape, "wmma here has 16 x 16 x 16 only");
  static_assert(kTypes, "wmma here multiplies half and __nv_bfloat16, and sums in float or half");
  static_assert(kLayout, "matrix_a and matrix_b have a layout, an accumulator has none");

 public:
  using element_type = T;
  static constexpr int num_elements = 8;
  T x[num_elements];
};

WS_D unsigned ws_lane() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
}

/// Where element i of the calling lane lies.
WS_D size_t ws_place(unsigned i, unsigned stride, bool by_rows) {
  unsigned row = ws_lane() / 2, column = ws_lane() % 2 * 8 + i;
  return by_rows ? (size_t)row * stride + column : (size_t)column * stride + row;
}

/// CUDA C++ Programming Guide: a multiple of 16 bytes.
template <class T>
WS_D void ws_check_stride(unsigned stride) {
  assert(stride * sizeof(T) % 16 == 0);
}

template <class Use, class T, class Layout>
WS_D void fill_fragment(fragment<Use, 16, 16, 16, T, Layout>& to, const T& value) {
  for (unsigned i = 0; i < 8; ++i)
    to.x[i] = value;
}

template <class Use, class T, class Layout>
WS_D void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& to, const T* from,
                           unsigned stride) {
  ws_check_stride<T>(stride);
  __syncwarp();
  for (unsigned i = 0; i < 8; ++i)
    to.x[i] = from[ws_place(i, stride, ws_same<Layout, row_major>)];
}

template <class T>
WS_D void load_matrix_sync(fragment<accumulator, 16, 16, 16, T>& to, const T* from, unsigned stride,
                           layout_t layout) {
  ws_check_stride<T>(stride);
  __syncwarp();
  for (unsigned i = 0; i < 8; ++i)
    to.x[i] = from[ws_place(i, stride, layout == mem_row_major)];
}

template <class T>
WS_D void store_matrix_sync(T* to, const fragment<accumulator, 16, 16, 16, T>& from,
                            unsigned stride, layout_t layout) {
  ws_check_stride<T>(stride);
  for (unsigned i = 0; i < 8; ++i)
    to[ws_place(i, stride, layout == mem_row_major)] = from.x[i];
  __syncwarp();
}

/// The 8 elements of another lane, 4 at a time.
template <class T>
WS_D void ws_elements_of(T* to, const T* own, unsigned lane) {
  for (unsigned half = 0; half < 8; half += 4) {
    unsigned long long bits;
    memcpy(&bits, own + half, sizeof(bits));
    bits = __shfl_sync(0xffffffffu, bits, (int)lane);
    memcpy(to + half, &bits, sizeof(bits));
  }
}

template <class T, class LayoutA, class LayoutB, class D, class C>
WS_D void mma_sync(fragment<accumulator, 16, 16, 16, D>& d,
                   const fragment<matrix_a, 16, 16, 16, T, LayoutA>& a,
                   const fragment<matrix_b, 16, 16, 16, T, LayoutB>& b,
                   const fragment<accumulator, 16, 16, 16, C>& c) {
  T row[16], part[8];
  float sum[8];
  unsigned lane = ws_lane();
  for (unsigned half = 0; half < 2; ++half)
    ws_elements_of(row + half * 8, a.x, lane / 2 * 2 + half);
  for (unsigned i = 0; i < 8; ++i)
    sum[i] = (float)c.x[i];
  for (unsigned k = 0; k < 16; ++k) {
    ws_elements_of(part, b.x, k * 2 + lane % 2);
    for (unsigned i = 0; i < 8; ++i)
      sum[i] = fmaf((float)row[k], (float)part[i], sum[i]);
  }
  for (unsigned i = 0; i < 8; ++i)
    d.x[i] = (D)sum[i];
}

}  // namespace wmma
}  // namespace nvcuda
