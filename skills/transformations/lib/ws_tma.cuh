// Bulk tensor copies by the tensor memory accelerator: sm_90. PTX ISA: cp.async.bulk.tensor.
//
// A map comes from the plan's `tensor_maps`, and as `const __grid_constant__ CUtensorMap map` into the
// entry. Coordinates count elements, innermost dimension first. One thread issues; tiles in shared
// memory begin at multiples of 128 bytes, of 1024 with the 128-byte swizzle.
#pragma once

#include "ws_mbarrier.cuh"

namespace ws {

// Fetches the map's descriptor ahead of its first use.
__device__ __forceinline__ void tma_prefetch(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// Loads a box of a matrix; `barrier` gets its bytes, those outside the tensor included.
__device__ __forceinline__ void tma_load_2d(void* to, const void* map, unsigned long long* barrier,
                                            int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y)
      : "memory");
}

__device__ __forceinline__ void tma_load_3d(void* to, const void* map, unsigned long long* barrier,
                                            int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z)
      : "memory");
}

// Loads one box into the same place of each block of the cluster whose bit is set in `blocks`; the
// barrier at the same place of each of them gets the bytes.
__device__ __forceinline__ void tma_load_2d_multicast(void* to, const void* map,
                                                      unsigned long long* barrier, int x, int y,
                                                      unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "h"(blocks), "r"(x), "r"(y)
      : "memory");
}

// Stores a box; what lies outside the tensor is left out. Before it: fence_async_shared() by all who
// wrote the tile, and a barrier.
__device__ __forceinline__ void tma_store_2d(const void* map, const void* from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::
                   "l"(map),
               "r"(shared_address(from)), "r"(x), "r"(y)
               : "memory");
}

__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until at most LEFT stores still read shared memory: then it may be written again.
template <int LEFT>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

// The calling block's number in its cluster.
__device__ __forceinline__ int cluster_block() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// A barrier of all threads of the cluster.
__device__ __forceinline__ void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

}  // namespace ws
