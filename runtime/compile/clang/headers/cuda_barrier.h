// <cuda/barrier> for the lifter: barriers of one block and the copies that complete on them, each
// function the PTX that it stands for. The lifter enters them, so that a call is what its PTX
// means. The CPU engine has no mbarriers: it refuses a kernel that calls one of them.
#pragma once

#include "cuda_scope.h"

namespace cuda {

template <thread_scope Scope>
class barrier {
  static_assert(Scope == thread_scope_block,
                "only cuda::barrier<cuda::thread_scope_block> is known here");

 public:
  /// Names the phase that an arrival counts for.
  using arrival_token = unsigned long long;

  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  __device__ __forceinline__ arrival_token arrive(ptrdiff_t arrivals = 1) {
    arrival_token phase;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(phase)
                 : "r"((unsigned)__cvta_generic_to_shared(this)), "r"((unsigned)arrivals)
                 : "memory");
    return phase;
  }

  __device__ __forceinline__ void wait(arrival_token phase) const {
    asm volatile(
        "{\n"
        ".reg .pred over;\n"
        "ask_%=:\n"
        "mbarrier.try_wait.shared::cta.b64 over, [%0], %1;\n"
        "@!over bra ask_%=;\n"
        "}" ::"r"((unsigned)__cvta_generic_to_shared(this)),
        "l"(phase)
        : "memory");
  }

  __device__ __forceinline__ void wait_parity(bool parity) const {
    asm volatile(
        "{\n"
        ".reg .pred over;\n"
        "ask_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "@!over bra ask_%=;\n"
        "}" ::"r"((unsigned)__cvta_generic_to_shared(this)),
        "r"((unsigned)parity)
        : "memory");
  }

  __device__ __forceinline__ void arrive_and_wait() { wait(arrive()); }

  friend __device__ __forceinline__ void init(barrier* made, ptrdiff_t arrivals) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(made)),
        "r"((unsigned)arrivals)
        : "memory");
  }

 private:
  unsigned long long ws_state;
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

/// By the calling thread, in pieces of the alignment; the barrier's phase waits for them.
template <size_t Alignment, thread_scope Scope>
WS_D void memcpy_async(void* to, const void* from, aligned_size_t<Alignment> bytes,
                       barrier<Scope>& done) {
  static_assert(Alignment == 4 || Alignment == 8 || Alignment == 16,
                "asynchronous copies have pieces of 4, 8 or 16 bytes");
  for (size_t at = 0; at < (size_t)bytes; at += Alignment) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared((char*)to + at)),
                 "l"((const char*)from + at), "n"(Alignment)
                 : "memory");
  }
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(
                   (unsigned)__cvta_generic_to_shared(&done))
               : "memory");
}

namespace device {

/// The phase also waits for so many bytes.
WS_D void barrier_expect_tx(barrier<thread_scope_block>& done, ptrdiff_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(&done)),
               "r"((unsigned)bytes)
               : "memory");
}

WS_D barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block>& done,
                                                                  ptrdiff_t arrivals,
                                                                  ptrdiff_t bytes) {
  barrier_expect_tx(done, bytes);
  return done.arrive(arrivals);
}

/// The barrier's own state.
WS_D unsigned long long* barrier_native_handle(barrier<thread_scope_block>& done) {
  return (unsigned long long*)&done;
}

namespace experimental {

#define WS_COMMA ,
// A box of a tensor of `rank` dimensions, and back; coordinates count elements, innermost first.
#define WS_BOX_COPIES(rank, declared, loaded, stored, given)                                      \
  WS_D void cp_async_bulk_tensor_##rank##d_global_to_shared(                                      \
      void* to, const CUtensorMap* map, declared, barrier<thread_scope_block>& done) {            \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" loaded \
                 "}], [%2];" ::"r"((unsigned)__cvta_generic_to_shared(to)),                       \
                 "l"(map), "r"((unsigned)__cvta_generic_to_shared(&done)), given                  \
                 : "memory");                                                                     \
  }                                                                                               \
  WS_D void cp_async_bulk_tensor_##rank##d_shared_to_global(const CUtensorMap* map, declared,     \
                                                            const void* from) {                   \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.global.shared::cta.tile.bulk_group [%0, {" stored "}], [%1];" ::"l"(map),     \
                 "r"((unsigned)__cvta_generic_to_shared(from)), given                             \
                 : "memory");                                                                     \
  }
WS_BOX_COPIES(1, int x, "%3", "%2", "r"(x))
WS_BOX_COPIES(2, int x WS_COMMA int y, "%3, %4", "%2, %3", "r"(x)WS_COMMA "r"(y))
WS_BOX_COPIES(3, int x WS_COMMA int y WS_COMMA int z, "%3, %4, %5", "%2, %3, %4",
              "r"(x)WS_COMMA "r"(y)WS_COMMA "r"(z))
WS_BOX_COPIES(4, int x WS_COMMA int y WS_COMMA int z WS_COMMA int u, "%3, %4, %5, %6",
              "%2, %3, %4, %5", "r"(x)WS_COMMA "r"(y)WS_COMMA "r"(z)WS_COMMA "r"(u))
WS_BOX_COPIES(5, int x WS_COMMA int y WS_COMMA int z WS_COMMA int u WS_COMMA int v,
              "%3, %4, %5, %6, %7", "%2, %3, %4, %5, %6",
              "r"(x)WS_COMMA "r"(y)WS_COMMA "r"(z)WS_COMMA "r"(u)WS_COMMA "r"(v))
#undef WS_BOX_COPIES
#undef WS_COMMA

WS_D void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Until the sources of all but the newest Left groups are free.
template <int Left>
WS_D void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}

/// Plain writes to shared memory become visible to copies and products.
WS_D void fence_proxy_async_shared_cta() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace experimental
}  // namespace device
}  // namespace cuda
