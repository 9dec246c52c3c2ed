// <cuda/atomic>: atomic objects and references. Each sees what all threads of the device do; a launch
// whose races are looked for knows which of them are for one block only.
#pragma once

#include "cuda_scope.h"
#include "cuda_std.h"

namespace cuda {

enum memory_order : int {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST,
};

/// The scope has threads of one block at most.
constexpr bool ws_in_block(thread_scope scope) {
  return scope == thread_scope_block || scope == thread_scope_thread;
}

/// The operations on one place; Self::ws_place() says where it is. A loop over load() lets other
/// threads go on, as any loop over a volatile access does.
template <class T, thread_scope Scope, class Self>
class ws_atomic_operations {
  __device__ __forceinline__ T* at() const { return static_cast<const Self*>(this)->ws_place(); }

 public:
  using value_type = T;
  __device__ __forceinline__ T load(memory_order = memory_order_seq_cst) const {
    const ws_rt_in_block scope(ws_in_block(Scope));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const T v = *(const volatile T*)at();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return v;
  }
  __device__ __forceinline__ void store(T v, memory_order = memory_order_seq_cst) {
    const ws_rt_in_block scope(ws_in_block(Scope));
    __atomic_store(at(), &v, __ATOMIC_SEQ_CST);
  }
  __device__ __forceinline__ operator T() const { return load(); }
  __device__ __forceinline__ T operator=(T v) {
    store(v);
    return v;
  }
  __device__ __forceinline__ T exchange(T v, memory_order = memory_order_seq_cst) {
    const ws_rt_in_block scope(ws_in_block(Scope));
    T old;
    __atomic_exchange(at(), &v, &old, __ATOMIC_SEQ_CST);
    return old;
  }
  __device__ __forceinline__ bool compare_exchange_strong(T& expected, T v,
                                                          memory_order = memory_order_seq_cst,
                                                          memory_order = memory_order_seq_cst) {
    const ws_rt_in_block scope(ws_in_block(Scope));
    return __atomic_compare_exchange(at(), &expected, &v, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
  }
  __device__ __forceinline__ bool compare_exchange_weak(T& expected, T v,
                                                        memory_order = memory_order_seq_cst,
                                                        memory_order = memory_order_seq_cst) {
    return compare_exchange_strong(expected, v);
  }
#define WS_FETCH(name)                                                                   \
  __device__ __forceinline__ T name(T v, memory_order = memory_order_seq_cst) {          \
    const ws_rt_in_block scope(ws_in_block(Scope));                                      \
    return __atomic_##name(at(), v, __ATOMIC_SEQ_CST);                                   \
  }
  WS_FETCH(fetch_add)
  WS_FETCH(fetch_sub)
  WS_FETCH(fetch_min)
  WS_FETCH(fetch_max)
  WS_FETCH(fetch_and)
  WS_FETCH(fetch_or)
  WS_FETCH(fetch_xor)
#undef WS_FETCH
  __device__ __forceinline__ T operator++() { return fetch_add(1) + 1; }
  __device__ __forceinline__ T operator++(int) { return fetch_add(1); }
  __device__ __forceinline__ T operator--() { return fetch_sub(1) - 1; }
  __device__ __forceinline__ T operator--(int) { return fetch_sub(1); }
  __device__ __forceinline__ T operator+=(T v) { return fetch_add(v) + v; }
  __device__ __forceinline__ T operator-=(T v) { return fetch_sub(v) - v; }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public ws_atomic_operations<T, Scope, atomic<T, Scope>> {
 public:
  atomic() = default;
  __device__ __forceinline__ constexpr atomic(T v) : ws_value(v) {}
  atomic(const atomic&) = delete;
  using ws_atomic_operations<T, Scope, atomic<T, Scope>>::operator=;
  __device__ __forceinline__ T* ws_place() const { return const_cast<T*>(&ws_value); }

 private:
  T ws_value;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public ws_atomic_operations<T, Scope, atomic_ref<T, Scope>> {
 public:
  explicit __device__ __forceinline__ atomic_ref(T& place) : ws_at(&place) {}
  atomic_ref(const atomic_ref&) = default;
  using ws_atomic_operations<T, Scope, atomic_ref<T, Scope>>::operator=;
  __device__ __forceinline__ T* ws_place() const { return ws_at; }

 private:
  T* ws_at;
};

WS_D void atomic_thread_fence(memory_order, thread_scope scope = thread_scope_system) {
  const ws_rt_in_block inner(ws_in_block(scope));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace std {
using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;
template <class T>
using atomic = cuda::atomic<T>;
template <class T>
using atomic_ref = cuda::atomic_ref<T>;
}  // namespace std
}  // namespace cuda
