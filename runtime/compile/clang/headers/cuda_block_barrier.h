// <cuda/barrier> on the CPU engine: barriers over a counter, and copies that are done when they are
// made, so that a phase waits for them in any case. The lifter has another header for the name.
#pragma once

#include "cuda_scope.h"

namespace cuda {

/// A wait that lets other threads go on until `ready(now)` is true, where `now` is read afresh.
template <class Ready>
WS_D void ws_wait_until(const unsigned* counter, Ready ready) {
  while (!ready(*(const volatile unsigned*)counter)) {
  }
  __threadfence();
}

template <thread_scope Scope>
class barrier {
 public:
  /// The phase that an arrival counts for.
  using arrival_token = unsigned long long;

  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  __device__ __forceinline__ explicit barrier(ptrdiff_t arrivals) { init(this, arrivals); }

  static constexpr __device__ ptrdiff_t max() { return (1 << 20) - 1; }

  __device__ __forceinline__ arrival_token arrive(ptrdiff_t arrivals = 1) {
    __threadfence();
    const unsigned phase = *(volatile unsigned*)&ws_phase;
    if (atomicSub(&ws_left, (unsigned)arrivals) == (unsigned)arrivals) {
      ws_left = *(volatile unsigned*)&ws_expected;
      __threadfence();
      atomicAdd(&ws_phase, 1u);
    }
    return phase;
  }

  __device__ __forceinline__ void wait(arrival_token phase) const {
    ws_wait_until(&ws_phase, [=](unsigned now) { return now != (unsigned)phase; });
  }

  /// Phases begin with parity 0.
  __device__ __forceinline__ void wait_parity(bool parity) const {
    ws_wait_until(&ws_phase, [=](unsigned now) { return (now & 1u) != (unsigned)parity; });
  }

  __device__ __forceinline__ bool try_wait(arrival_token phase) const {
    const bool over = *(const volatile unsigned*)&ws_phase != (unsigned)phase;
    __threadfence();
    return over;
  }
  __device__ __forceinline__ bool try_wait_parity(bool parity) const {
    const bool over = (*(const volatile unsigned*)&ws_phase & 1u) != (unsigned)parity;
    __threadfence();
    return over;
  }

  __device__ __forceinline__ void arrive_and_wait() { wait(arrive()); }

  __device__ __forceinline__ void arrive_and_drop() {
    atomicSub(&ws_expected, 1u);
    (void)arrive();
  }

  friend __device__ __forceinline__ void init(barrier* made, ptrdiff_t arrivals) {
    made->ws_expected = made->ws_left = (unsigned)arrivals;
    made->ws_phase = 0;
    __threadfence();
  }

 private:
  unsigned ws_expected, ws_left, ws_phase;
};

/// A number of bytes, all of whose addresses are multiples of Alignment.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;

  __device__ constexpr explicit aligned_size_t(size_t bytes)
      : value(bytes) {}

  __device__ constexpr operator size_t() const { return value; }
};

/// By the calling thread, in words where both addresses and the size allow it.
WS_D void ws_copy_bytes(void* to, const void* from, size_t bytes, size_t first, size_t step) {
  if ((((size_t)to | (size_t)from | bytes) & 3) == 0) {
    for (size_t i = first; i < bytes / 4; i += step)
      ((unsigned*)to)[i] = ((const unsigned*)from)[i];
  } else {
    for (size_t i = first; i < bytes; i += step)
      ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
  }
}

template <thread_scope Scope>
WS_D void memcpy_async(void* to, const void* from, size_t bytes, barrier<Scope>&) {
  ws_copy_bytes(to, from, bytes, 0, 1);
}

/// By all threads of the group, each its part.
template <class Group, thread_scope Scope>
WS_D void memcpy_async(const Group& group, void* to, const void* from, size_t bytes,
                       barrier<Scope>&) {
  ws_copy_bytes(to, from, bytes, group.thread_rank(), group.size());
}

}  // namespace cuda
