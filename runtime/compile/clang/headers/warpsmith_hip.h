// HIP's spellings on top of warpsmith_device.h, included for kernels in language `hip`. A wavefront
// has 32 lanes here, as on RDNA: kernels that use `warpSize` need not care.
#pragma once

#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, variable) extern __shared__ type variable[];
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// The lanes that are here take part, as on AMD's GPUs: there is no mask to get wrong.
#define WS_HIP_SHUFFLE(name, lane_type)                                  \
  template <class T>                                                     \
  WS_D T name(T v, lane_type lane, int width = warpSize) {               \
    return name##_sync(__activemask(), v, lane, width);                  \
  }
WS_HIP_SHUFFLE(__shfl, int)
WS_HIP_SHUFFLE(__shfl_up, unsigned)
WS_HIP_SHUFFLE(__shfl_down, unsigned)
WS_HIP_SHUFFLE(__shfl_xor, int)
#undef WS_HIP_SHUFFLE
WS_D int __all(int p) { return __all_sync(__activemask(), p); }
WS_D int __any(int p) { return __any_sync(__activemask(), p); }
WS_D unsigned long long __ballot(int p) { return __ballot_sync(__activemask(), p); }
WS_D unsigned __lane_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize;
}

#define unsafeAtomicAdd(p, v) atomicAdd(p, v)
#define safeAtomicAdd(p, v) atomicAdd(p, v)
