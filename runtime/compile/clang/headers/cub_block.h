// Block and warp primitives in the manner of CUB on the CPU engine: results, contracts and barriers
// are CUB's, the way there is the plain one. A block's primitive has one barrier or two, and its
// storage may be used again after one more. What is missing is an error that names it.
#pragma once

#include "cuda_std.h"

namespace cub {

struct Sum {
  template <class A, class B>
  __device__ auto operator()(const A& a, const B& b) const { return a + b; }
};
struct Max {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Min {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
};
struct ArgMax {
  template <class K, class V>
  __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a,
                                           const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a,
                                           const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct NullType {};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

WS_D unsigned ws_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WS_D unsigned LaneId() { return ws_rank() % 32; }
WS_D unsigned WarpId() { return ws_rank() / 32; }

/// Room for values in shared memory, where no constructor runs.
template <class T, int N>
struct ws_room {
  alignas(T) unsigned char ws_bytes[N * sizeof(T)];
  __device__ T* values() { return reinterpret_cast<T*>(ws_bytes); }
};

/// The result is the first thread's only.
template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce {
 public:
  using TempStorage = ws_room<T, X * Y * Z>;
  __device__ BlockReduce(TempStorage& storage) : storage_(storage) {}
  __device__ BlockReduce() : storage_(own()) {}

  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    T* all = storage_.values();
    all[ws_rank()] = value;
    __syncthreads();
    if (ws_rank() == 0) {
      for (int i = 1; i < valid; ++i) value = op(value, all[i]);
    }
    return value;
  }
  template <class Op>
  __device__ T Reduce(T value, Op op) { return Reduce(value, op, X * Y * Z); }
  template <int N, class Op>
  __device__ T Reduce(T (&values)[N], Op op) {
    T value = values[0];
    for (int i = 1; i < N; ++i) value = op(value, values[i]);
    return Reduce(value, op);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int N>
  __device__ T Sum(T (&values)[N]) { return Reduce(values, cub::Sum()); }

 private:
  static __device__ TempStorage& own() {
    __shared__ TempStorage room;
    return room;
  }
  TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;

 public:
  using TempStorage = ws_room<T, kThreads + 1>;
  __device__ BlockScan(TempStorage& storage) : storage_(storage) {}
  __device__ BlockScan() : storage_(own()) {}

  // One value of each thread.
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) { T all; InclusiveScan(in, out, op, all); }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& all) {
    T one[1] = {in};
    InclusiveScan(one, one, op, all);
    out = one[0];
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T first, Op op, T& all) {
    T one[1] = {in};
    ExclusiveScan(one, one, first, op, all);
    out = one[0];
  }
  /// The prefix is what the first warp is given for the whole block's sum.
  template <class Prefix>
  __device__ void ExclusiveSum(T in, T& out, Prefix& prefix) {
    T all, before = {};
    ExclusiveScan(in, out, T{}, Sum(), all);
    T* room = storage_.values();
    if (ws_rank() < 32) before = prefix(all);
    __syncthreads();
    if (ws_rank() == 0) room[0] = before;
    __syncthreads();
    out = room[0] + out;
  }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, Sum(), all); }
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T{}, Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T{}, Sum(), all); }

  // Neighbours in each thread.
  template <int N, class Op>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op) { T all; InclusiveScan(in, out, op, all); }
  template <int N, class Op>
  __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T& all) {
    T sum = folded(in, op);
    const T before = scanned(sum, op, all);
    sum = in[0];
    for (int i = 0; i < N; ++i) {
      sum = i == 0 ? ws_rank() == 0 ? in[0] : op(before, in[0]) : op(sum, in[i]);
      out[i] = sum;
    }
  }
  template <int N, class Op>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  template <int N, class Op>
  __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T first, Op op, T& all) {
    const T before = scanned(folded(in, op), op, all);
    T sum = ws_rank() == 0 ? first : op(first, before);
    for (int i = 0; i < N; ++i) {
      const T value = in[i];
      out[i] = sum;
      sum = op(sum, value);
    }
  }
  template <int N>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N]) { InclusiveScan(in, out, Sum()); }
  template <int N>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N], T& all) { InclusiveScan(in, out, Sum(), all); }
  template <int N>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N]) { ExclusiveScan(in, out, T{}, Sum()); }
  template <int N>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], T& all) {
    ExclusiveScan(in, out, T{}, Sum(), all);
  }

 private:
  static __device__ TempStorage& own() {
    __shared__ TempStorage room;
    return room;
  }
  template <int N, class Op>
  static __device__ T folded(const T (&in)[N], Op op) {
    T sum = in[0];
    for (int i = 1; i < N; ++i) sum = op(sum, in[i]);
    return sum;
  }
  /// Everything before this thread, which the first thread has none of.
  template <class Op>
  __device__ T scanned(T value, Op op, T& all) {
    T* room = storage_.values();
    room[ws_rank()] = value;
    __syncthreads();
    if (ws_rank() == 0) {
      T sum = value;
      for (int i = 1; i < kThreads; ++i) {
        const T next = op(sum, room[i]);
        room[i] = sum;
        sum = next;
      }
      room[kThreads] = sum;
    }
    __syncthreads();
    all = room[kThreads];
    return room[ws_rank()];
  }
  TempStorage& storage_;
};

}  // namespace cub
