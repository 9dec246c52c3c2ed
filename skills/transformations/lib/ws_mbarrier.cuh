// Barriers in shared memory that count arrivals and bytes: sm_90. PTX ISA: mbarrier.
//
// A barrier is 8 bytes, `__shared__ __align__(8) unsigned long long full[STAGES]`. Its phase flips
// whenever all arrivals and all expected bytes are in; a waiter names the parity of the phase whose end
// it waits for: 0 first, then 1, 0, ...
#pragma once

#include "ws_cp_async.cuh"

namespace ws {

// By one thread, before anybody uses it; then fence_barrier_init() and a barrier of the block (of the
// cluster where others arrive on it).
__device__ __forceinline__ void mbarrier_init(unsigned long long* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// Makes initialised barriers visible to the asynchronous proxy and to the cluster.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Orders this thread's writes to shared memory before later reads by TMA and wgmma.
__device__ __forceinline__ void fence_async_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// Arrives, and lets the phase wait for `bytes` of asynchronous copies as well.
__device__ __forceinline__ void mbarrier_arrive_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

// Arrives on the same barrier of another block of the cluster.
__device__ __forceinline__ void mbarrier_arrive_remote(unsigned long long* barrier, int block) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(block)
      : "memory");
}

// Waits for the end of the phase with this parity.
__device__ __forceinline__ void mbarrier_wait(unsigned long long* barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again_%=:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra ended_%=;\n"
      "bra again_%=;\n"
      "ended_%=:\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

}  // namespace ws
