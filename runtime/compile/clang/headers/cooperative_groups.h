// Cooperative groups on the CPU engine: blocks, tiles of a warp, their shuffles, votes, reductions,
// and copies. What is missing (coalesced threads, grid and cluster barriers, scans) is an error.
#pragma once

namespace cooperative_groups {

class thread_block {
 public:
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __device__ unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ unsigned size() { return num_threads(); }
  static __device__ dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __device__ dim3 group_dim() { return dim_threads(); }
  static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

WS_D thread_block this_thread_block() { return {}; }

/// Without a barrier: a launch here is not cooperative.
class grid_group {
 public:
  static __device__ unsigned long long num_blocks() {
    return 1ull * gridDim.x * gridDim.y * gridDim.z;
  }
  static __device__ unsigned long long block_rank() {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static __device__ unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  static __device__ unsigned long long size() { return num_threads(); }
  static __device__ unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
};

WS_D grid_group this_grid() { return {}; }

/// Neighbours by rank, a part of one warp.
template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  static __device__ unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  static constexpr __device__ unsigned num_threads() { return Size; }
  static constexpr __device__ unsigned size() { return Size; }
  static __device__ unsigned meta_group_rank() { return Parent::thread_rank() / Size; }
  static __device__ unsigned meta_group_size() { return (Parent::num_threads() + Size - 1) / Size; }
  static __device__ void sync() { __syncwarp(mask()); }

  template <class T>
  static __device__ T shfl(T value, int rank) {
    return __shfl_sync(mask(), value, rank, Size);
  }
  template <class T>
  static __device__ T shfl_up(T value, unsigned delta) {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <class T>
  static __device__ T shfl_down(T value, unsigned delta) {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <class T>
  static __device__ T shfl_xor(T value, int bits) {
    return __shfl_xor_sync(mask(), value, bits, Size);
  }
  static __device__ int any(int predicate) { return __any_sync(mask(), predicate); }
  static __device__ int all(int predicate) { return __all_sync(mask(), predicate); }
  static __device__ unsigned ballot(int predicate) {
    return (__ballot_sync(mask(), predicate) & mask()) >> first_lane();
  }

 private:
  static __device__ unsigned first_lane() { return thread_block::thread_rank() % 32 / Size * Size; }
  static __device__ unsigned mask() {
    return Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1) << first_lane();
  }
};

template <unsigned Size>
WS_D thread_block_tile<Size> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned Size, unsigned Larger, class Parent>
WS_D thread_block_tile<Size, thread_block_tile<Larger, Parent>> tiled_partition(
    const thread_block_tile<Larger, Parent>&) {
  static_assert(Size <= Larger, "a part is no larger than the whole");
  return {};
}

template <class Group>
WS_D void sync(const Group&) {
  Group::sync();
}

template <class T = void>
struct plus {
  template <class U>
  __device__ U operator()(U a, U b) const { return a + b; }
};
template <class T = void>
struct less {
  template <class U>
  __device__ U operator()(U a, U b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  template <class U>
  __device__ U operator()(U a, U b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  template <class U>
  __device__ U operator()(U a, U b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  template <class U>
  __device__ U operator()(U a, U b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  template <class U>
  __device__ U operator()(U a, U b) const { return a ^ b; }
};

/// All threads of the tile get it.
template <unsigned Size, class Parent, class T, class Op>
WS_D T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op) {
  for (int bits = Size / 2; bits > 0; bits /= 2) {
    value = op(value, tile.shfl_xor(value, bits));
  }
  return value;
}

/// Here each thread's part is there when it returns; the others' after wait().
template <class Group, class T>
WS_D void memcpy_async(const Group&, T* to, const T* from, size_t bytes) {
  for (size_t i = Group::thread_rank(); i < bytes / sizeof(T); i += Group::num_threads()) {
    to[i] = from[i];
  }
}
template <class Group>
WS_D void wait(const Group&) {
  Group::sync();
}

}  // namespace cooperative_groups
