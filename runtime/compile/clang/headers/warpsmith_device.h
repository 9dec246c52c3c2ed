// CUDA C++ as the CPU engine knows it: included before every kernel. What is missing here is an
// error that names it, never a silent difference. Functions named ws_rt_* are the engine's runtime:
// the retarget pass replaces them (thread ids) or the worker supplies them (barriers, warp
// operations).
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
// Cooperation of a cluster's blocks needs PTX, or cooperative groups: neither runs here.
#define __cluster_dims__(...)
#define __grid_constant__ __attribute__((grid_constant))
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __WARPSMITH_CPU__ 1
#define CUDART_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define WS_D static __device__ __forceinline__
#define WS_RT extern "C" __device__ __attribute__((nothrow, convergent, nomerge))
#define WS_ID extern "C" __device__ __attribute__((nothrow, const))

#define NULL __null

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/// An object made in memory that is there.
inline __device__ void* operator new(size_t, void* place) noexcept { return place; }
inline __device__ void* operator new[](size_t, void* place) noexcept { return place; }

// ---- thread, block and grid ids ----------------------------------------------------------------
struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;

  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
      : x(a),
        y(b),
        z(c) {}

  __host__ __device__ constexpr dim3(uint3 v)
      : x(v.x),
        y(v.y),
        z(v.z) {}

  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

#define WS_ID_VECTOR(type, variable, prefix)            \
  WS_ID unsigned prefix##x();                           \
  WS_ID unsigned prefix##y();                           \
  WS_ID unsigned prefix##z();                           \
  struct type {                                         \
    __declspec(property(get = ws_x)) unsigned x;        \
    __declspec(property(get = ws_y)) unsigned y;        \
    __declspec(property(get = ws_z)) unsigned z;        \
    static __device__ __forceinline__ unsigned ws_x() { \
      return prefix##x();                               \
    }                                                   \
    static __device__ __forceinline__ unsigned ws_y() { \
      return prefix##y();                               \
    }                                                   \
    static __device__ __forceinline__ unsigned ws_z() { \
      return prefix##z();                               \
    }                                                   \
    __device__ __forceinline__ operator dim3() const {  \
      return dim3(ws_x(), ws_y(), ws_z());              \
    }                                                   \
    __device__ __forceinline__ operator uint3() const { \
      return uint3{ws_x(), ws_y(), ws_z()};             \
    }                                                   \
  };                                                    \
  extern const __device__ type variable;
WS_ID_VECTOR(ws_rt_thread_idx_t, threadIdx, ws_rt_tid_)
WS_ID_VECTOR(ws_rt_block_idx_t, blockIdx, ws_rt_bid_)
WS_ID_VECTOR(ws_rt_block_dim_t, blockDim, ws_rt_bdim_)
WS_ID_VECTOR(ws_rt_grid_dim_t, gridDim, ws_rt_gdim_)
#undef WS_ID_VECTOR
static constexpr int warpSize = 32;

// ---- barriers and warp operations; the last argument becomes the source place -------------------
WS_RT unsigned ws_rt_barrier(unsigned mode, unsigned predicate, unsigned site);
WS_RT unsigned ws_rt_barrier_arrive(unsigned number, unsigned threads, unsigned flags,
                                    unsigned site);
WS_RT unsigned ws_rt_barrier_wait(unsigned number, unsigned phase, unsigned site);
WS_RT void ws_rt_barrier_of_grid(unsigned site);
WS_ID unsigned ws_rt_cooperative();
WS_RT unsigned long long ws_rt_warp(unsigned mode, unsigned mask, unsigned long long value,
                                    unsigned lane, unsigned width, unsigned site);
WS_RT unsigned ws_rt_active_mask(unsigned site);
WS_RT unsigned long long ws_rt_clock(unsigned site);
WS_RT void ws_rt_sleep(unsigned nanoseconds, unsigned site);
WS_RT __attribute__((noreturn)) void ws_rt_trap(unsigned kind, unsigned x, unsigned y, unsigned z,
                                                unsigned site);

WS_D void ws_rt_stop(unsigned kind) {
  ws_rt_trap(kind, ws_rt_tid_x(), ws_rt_tid_y(), ws_rt_tid_z(), 0);
}

// The front end has a function of its own by this name.
#define __syncthreads() ws_rt_syncthreads()

WS_D void ws_rt_syncthreads() {
  ws_rt_barrier(0, 0, 0);
}

WS_D int __syncthreads_count(int p) {
  return (int)ws_rt_barrier(1, p != 0, 0);
}

WS_D int __syncthreads_and(int p) {
  return (int)ws_rt_barrier(2, p != 0, 0);
}

WS_D int __syncthreads_or(int p) {
  return (int)ws_rt_barrier(3, p != 0, 0);
}

WS_D void __syncwarp(unsigned mask = 0xffffffffu) {
  ws_rt_warp(0, mask, 0, 0, 32, 0);
}

WS_D unsigned __activemask() {
  return ws_rt_active_mask(0);
}

WS_D void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

WS_RT void ws_rt_block_scope(unsigned begins);

/// Atomics and fences in its life order threads of one block only.
struct ws_rt_in_block {
  bool narrow;
  explicit __device__ __forceinline__ ws_rt_in_block(bool only = true) : narrow(only) {
    if (narrow) ws_rt_block_scope(1);
  }
  __device__ __forceinline__ ~ws_rt_in_block() {
    if (narrow) ws_rt_block_scope(0);
  }
};

WS_D void __threadfence_block() {
  const ws_rt_in_block scope;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

WS_D void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

WS_D void __trap() {
  ws_rt_stop(0);
}

typedef long clock_t;

WS_D long long clock64() {
  return (long long)ws_rt_clock(0);
}

WS_D void __nanosleep(unsigned nanoseconds) {
  ws_rt_sleep(nanoseconds, 0);
}

WS_D clock_t clock() {
  return (clock_t)ws_rt_clock(0);
}

#define assert(condition) ((condition) ? (void)0 : ws_rt_stop(1))

/// Nothing is printed: a worker has nowhere to print to.
template <class... Values>
WS_D int printf(const char*, const Values&...)
    __attribute__((diagnose_if(true, "printf prints nothing on the CPU engine", "warning"))) {
  return sizeof...(Values);
}

/// An address in the block's shared memory as inline PTX counts it.
WS_D size_t __cvta_generic_to_shared(const void* address) {
  size_t offset;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(address));
  return offset;
}

WS_D void* __cvta_shared_to_generic(size_t offset) {
  void* address;
  asm("cvta.shared.u64 %0, %1;" : "=l"(address) : "l"(offset));
  return address;
}

WS_D size_t __cvta_generic_to_global(const void* address) {
  return (size_t)address;
}

WS_D void* __cvta_global_to_generic(size_t address) {
  return (void*)address;
}

extern "C" __device__ void* memcpy(void* to, const void* from, size_t bytes);
extern "C" __device__ void* memset(void* to, int byte, size_t bytes);

struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};

// Files whose host part makes tensor maps name the types of their elements in templates.
enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_UINT8,
  CU_TENSOR_MAP_DATA_TYPE_UINT16,
  CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_INT32,
  CU_TENSOR_MAP_DATA_TYPE_UINT64,
  CU_TENSOR_MAP_DATA_TYPE_INT64,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
};

#include "warpsmith_warp.h"
#include "warpsmith_atomic.h"
#include "warpsmith_math.h"
#include "warpsmith_vector.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

// Structs of the host that kernels take by value.
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
static __host__ __device__ __forceinline__ cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch,
                                                                              size_t x, size_t y) {
  return {p, pitch, x, y};
}
static __host__ __device__ __forceinline__ cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  return {w, h, d};
}
static __host__ __device__ __forceinline__ cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  return {x, y, z};
}

// Its names are in warpsmith_std.h.
namespace std {}
