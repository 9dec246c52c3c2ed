// Primitives of a warp, or of a part of one, in the manner of CUB on the CPU engine.
#pragma once

#include "cub_block.h"

namespace cub {

/// The threads of a logical warp.
template <int Size>
struct ws_warp {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a logical warp has 1, 2, 4, 8, 16 or 32 threads here");
  static __device__ int lane() { return (int)(LaneId() % Size); }
  static __device__ unsigned mask() {
    return Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1) << (LaneId() / Size * Size);
  }
};

/// The result is the first lane's only.
template <class T, int Size = 32, int = 0>
class WarpReduce {
 public:
  using TempStorage = NullType;
  __device__ WarpReduce(TempStorage&) {}

  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    for (int step = 1; step < Size; step *= 2) {
      const T other = __shfl_down_sync(ws_warp<Size>::mask(), value, step, Size);
      if (ws_warp<Size>::lane() + step < valid) value = op(value, other);
    }
    return value;
  }
  template <class Op>
  __device__ T Reduce(T value, Op op) { return Reduce(value, op, Size); }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
};

template <class T, int Size = 32, int = 0>
class WarpScan {
 public:
  using TempStorage = NullType;
  __device__ WarpScan(TempStorage&) {}

  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    T sum = in;
    for (int step = 1; step < Size; step *= 2) {
      const T other = __shfl_up_sync(ws_warp<Size>::mask(), sum, step, Size);
      if (ws_warp<Size>::lane() >= step) sum = op(other, sum);
    }
    out = sum;
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& all) {
    InclusiveScan(in, out, op);
    all = __shfl_sync(ws_warp<Size>::mask(), out, Size - 1, Size);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op, T& all) {
    T sum;
    InclusiveScan(in, sum, op, all);
    const T before = __shfl_up_sync(ws_warp<Size>::mask(), sum, 1, Size);
    out = ws_warp<Size>::lane() == 0 ? first : op(first, before);
  }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, Sum(), all); }
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T{}, Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T{}, Sum(), all); }
  __device__ T Broadcast(T value, unsigned lane) {
    return __shfl_sync(ws_warp<Size>::mask(), value, (int)lane, Size);
  }
};

}  // namespace cub
