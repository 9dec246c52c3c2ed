// <cuda/pipeline> and the pipeline primitives on the CPU engine: copies are done when they are made; a
// stage is handed on when all its producers have committed it, and back when all its consumers have
// released it.
#pragma once

#include "cuda_block_barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

/// How often each stage was committed and released, by all threads together.
template <thread_scope Scope, unsigned Stages>
struct pipeline_shared_state {
  static_assert(Scope == thread_scope_block, "only pipelines of a block have a state here");
  unsigned ws_committed[Stages], ws_released[Stages];
};

template <thread_scope Scope>
class pipeline {
 public:
  unsigned *ws_committed = nullptr, *ws_released = nullptr;
  unsigned ws_stages = 1, ws_producers = 1, ws_consumers = 1;
  unsigned ws_head = 0, ws_tail = 0;  ///< So many stages this thread has committed, and released.

  __device__ __forceinline__ void producer_acquire() {
    if (ws_released == nullptr) return;
    const unsigned enough = ws_head / ws_stages * ws_consumers;
    ws_wait_until(&ws_released[ws_head % ws_stages],
                  [=](unsigned now) { return now >= enough; });
  }
  __device__ __forceinline__ void producer_commit() {
    __threadfence();
    if (ws_committed != nullptr) atomicAdd(&ws_committed[ws_head % ws_stages], 1u);
    ++ws_head;
  }
  __device__ __forceinline__ void consumer_wait() {
    if (ws_committed == nullptr) return;
    const unsigned enough = (ws_tail / ws_stages + 1) * ws_producers;
    ws_wait_until(&ws_committed[ws_tail % ws_stages],
                  [=](unsigned now) { return now >= enough; });
  }
  __device__ __forceinline__ void consumer_release() {
    __threadfence();
    if (ws_released != nullptr) atomicAdd(&ws_released[ws_tail % ws_stages], 1u);
    ++ws_tail;
  }
  __device__ __forceinline__ bool quit() { return true; }
};

/// A pipeline of one thread: nobody else waits for it.
WS_D pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <class Group, thread_scope Scope, unsigned Stages>
WS_D pipeline<Scope> ws_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                 unsigned producers, unsigned consumers) {
  group.sync();
  if (group.thread_rank() == 0) {
    for (unsigned i = 0; i < Stages; ++i) state->ws_committed[i] = state->ws_released[i] = 0;
  }
  group.sync();
  pipeline<Scope> made;
  made.ws_committed = state->ws_committed;
  made.ws_released = state->ws_released;
  made.ws_stages = Stages;
  made.ws_producers = producers;
  made.ws_consumers = consumers;
  return made;
}

/// All threads of the group produce and consume.
template <class Group, thread_scope Scope, unsigned Stages>
WS_D pipeline<Scope> make_pipeline(const Group& group,
                                   pipeline_shared_state<Scope, Stages>* state) {
  return ws_pipeline(group, state, group.size(), group.size());
}

template <class Group, thread_scope Scope, unsigned Stages>
WS_D pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                   size_t producers) {
  return ws_pipeline(group, state, (unsigned)producers, group.size() - (unsigned)producers);
}

template <class Group, thread_scope Scope, unsigned Stages>
WS_D pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                   pipeline_role role) {
  const unsigned producers = (unsigned)__syncthreads_count(role == pipeline_role::producer);
  return ws_pipeline(group, state, producers, group.size() - producers);
}

template <thread_scope Scope>
WS_D void memcpy_async(void* to, const void* from, size_t bytes, pipeline<Scope>&) {
  ws_copy_bytes(to, from, bytes, 0, 1);
}

template <class Group, thread_scope Scope>
WS_D void memcpy_async(const Group& group, void* to, const void* from, size_t bytes,
                       pipeline<Scope>&) {
  ws_copy_bytes(to, from, bytes, group.thread_rank(), group.size());
}

/// All but the newest stages of this thread's own copies are done: all are.
template <unsigned Newest>
WS_D void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {}

}  // namespace cuda

/// The last `zeros` bytes are zeros in place of copies.
WS_D void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  cuda::ws_copy_bytes(to, from, bytes - zeros, 0, 1);
  for (size_t i = bytes - zeros; i < bytes; ++i) ((unsigned char*)to)[i] = 0;
}
WS_D void __pipeline_commit() {}
WS_D void __pipeline_wait_prior(size_t) {}
