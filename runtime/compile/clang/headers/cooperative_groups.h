// Cooperative groups on the CPU engine: blocks, tiles of a warp, the lanes that are together at a
// place, their shuffles, votes, reductions, scans, partitions and copies, and the grid of a
// cooperative launch. What is missing (cluster barriers, a
// grid's barrier in two halves, tiles of several warps) is an error.
#pragma once

WS_RT void ws_rt_split_grid();

namespace cooperative_groups {

class thread_block {
 public:
  using arrival_token = unsigned;

  static __device__ void sync() { __syncthreads(); }
  static __device__ arrival_token barrier_arrive() { return ws_rt_barrier_arrive(16, 0, 4, 0); }
  static __device__ void barrier_wait(arrival_token&& phase) { ws_rt_barrier_wait(16, phase, 0); }
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

/// Its barrier needs a cooperative launch.
class grid_group {
 public:
  static __device__ bool is_valid() { return ws_rt_cooperative() != 0; }
  static __device__ void sync() { ws_rt_barrier_of_grid(0); }
  /// An error (clang/supported.cpp): blocks meet with all of their threads here.
  struct arrival_token {};
  static __device__ arrival_token barrier_arrive() {
    ws_rt_split_grid();
    return {};
  }
  static __device__ void barrier_wait(arrival_token&&) { ws_rt_split_grid(); }
  static __device__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static __device__ dim3 dim_blocks() { return group_dim(); }
  static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
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
  template <class T>
  static __device__ unsigned match_any(T value) {
    return (__match_any_sync(mask(), value) & mask()) >> first_lane();
  }
  template <class T>
  static __device__ unsigned match_all(T value, int& all) {
    const unsigned same = match_any(value);
    all = same == mask() >> first_lane();
    return all ? same : 0u;
  }
  /// One bit for each lane of the warp that is in the tile.
  static __device__ unsigned ws_mask() { return mask(); }

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

/// Some lanes of a warp; ranks are by lane.
class coalesced_group {
 public:
  explicit __device__ coalesced_group(unsigned mask) : mask_(mask) {}

  __device__ unsigned num_threads() const { return __popc(mask_); }
  __device__ unsigned size() const { return num_threads(); }
  __device__ unsigned thread_rank() const { return __popc(mask_ & ((1u << lane()) - 1)); }
  __device__ void sync() const { __syncwarp(mask_); }

  /// Any rank of the group.
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __shfl_sync(mask_, value, lane_of(rank));
  }
  /// A thread without a partner gets its own value.
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    unsigned rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    unsigned rank = thread_rank();
    return shfl(value, delta < num_threads() - rank ? rank + delta : rank);
  }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned ballot(int predicate) const {
    return ranks_of(__ballot_sync(mask_, predicate));
  }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return ranks_of(__match_any_sync(mask_, value));
  }
  __device__ unsigned ws_mask() const { return mask_; }

 private:
  static __device__ unsigned lane() { return thread_block::thread_rank() % 32; }
  __device__ int lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return __ffs((int)left) - 1;
  }
  /// One bit for each rank, from one for each lane.
  __device__ unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned left = mask_; left != 0; left &= left - 1, ++rank)
      ranks |= (lanes >> (__ffs((int)left) - 1) & 1u) << rank;
    return ranks;
  }

  unsigned mask_;
};

/// The lanes that are here together.
WS_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
WS_D void sync(const Group& group) {
  group.sync();
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

template <class T, class Op>
WS_D T reduce(const coalesced_group& group, T value, Op op) {
  T total = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    total = op(total, group.shfl(value, rank));
  }
  return total;
}

/// Here each thread's part is there when it returns; the others' after wait().
template <class Group, class T>
WS_D void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.num_threads()) {
    to[i] = from[i];
  }
}
template <class Group>
WS_D void wait(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#include "cooperative_groups_parts.h"
