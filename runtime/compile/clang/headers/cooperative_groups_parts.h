// The rest of cooperative groups: groups of any kind, partitions by what the threads say, scans.
#pragma once

namespace cooperative_groups {

/// A block, or lanes of a warp, whose kind is known only when the kernel runs.
class thread_group {
 public:
  __device__ thread_group(const thread_block&) : lanes_(0) {}
  __device__ thread_group(const coalesced_group& lanes) : lanes_(lanes.ws_mask()) {}
  template <unsigned Size, class Parent>
  __device__ thread_group(const thread_block_tile<Size, Parent>& tile) : lanes_(tile.ws_mask()) {}

  __device__ unsigned size() const {
    return lanes_ == 0 ? thread_block::size() : coalesced_group(lanes_).size();
  }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return lanes_ == 0 ? thread_block::thread_rank() : coalesced_group(lanes_).thread_rank();
  }
  __device__ void sync() const {
    if (lanes_ == 0) thread_block::sync();
    else __syncwarp(lanes_);
  }
  __device__ unsigned ws_mask() const { return lanes_; }

 private:
  unsigned lanes_;  // 0: the whole block.
};

/// A part of so many neighbours by rank; the last one of a block may have fewer.
WS_D thread_group tiled_partition(const thread_group& whole, unsigned size) {
  unsigned lanes = whole.ws_mask(), block = lanes == 0, part = 0;
  if (block) {
    unsigned warp = thread_block::thread_rank() / 32 * 32, count = thread_block::size() - warp;
    lanes = count >= 32 ? 0xffffffffu : (1u << count) - 1;
  }
  const unsigned number = coalesced_group(lanes).thread_rank() / size;
  for (unsigned left = lanes, rank = 0; left != 0; left &= left - 1, ++rank)
    part |= rank / size == number ? left & (0u - left) : 0u;
  return coalesced_group(part);
}

/// The threads of a group that give the same label.
template <class Group, class Label>
WS_D coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.ws_mask(), label) & group.ws_mask());
}

template <class Group>
WS_D coalesced_group binary_partition(const Group& group, bool side) {
  const unsigned yes = __ballot_sync(group.ws_mask(), side) & group.ws_mask();
  return coalesced_group(side ? yes : group.ws_mask() & ~yes);
}

/// Each thread gets the values of the ranks up to its own.
template <class Group, class T, class Op>
WS_D T inclusive_scan(const Group& group, T value, Op op) {
  T sum = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    const T next = group.shfl(value, (int)rank);
    if (rank <= group.thread_rank()) sum = op(sum, next);
  }
  return sum;
}
template <class Group, class T>
WS_D T inclusive_scan(const Group& group, T value) { return inclusive_scan(group, value, plus<T>()); }

/// Each thread gets the values of the ranks before its own; the first gets T().
template <class Group, class T, class Op>
WS_D T exclusive_scan(const Group& group, T value, Op op) {
  const T with = inclusive_scan(group, value, op);
  const unsigned rank = group.thread_rank();
  const T before = group.shfl(with, (int)(rank == 0 ? 0 : rank - 1));
  return rank == 0 ? T() : before;
}
template <class Group, class T>
WS_D T exclusive_scan(const Group& group, T value) { return exclusive_scan(group, value, plus<T>()); }

/// One thread of the group does it.
template <class Group, class Function>
WS_D void invoke_one(const Group& group, Function function) {
  if (group.thread_rank() == 0) function();
}

/// Copies are done when they are made: all but the newest of them are.
template <unsigned Newest, class Group>
WS_D void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
