// float4 and its family: names, members and alignments of CUDA's vector_types.h.
#pragma once

#define WS_VECTORS(type, name, align2, align4)                                                   \
  struct __attribute__((aligned(sizeof(type)))) name##1 {                                        \
    type x;                                                                                      \
  };                                                                                             \
  struct __attribute__((aligned(align2))) name##2 {                                              \
    type x, y;                                                                                   \
  };                                                                                             \
  struct name##3 {                                                                               \
    type x, y, z;                                                                                \
  };                                                                                             \
  struct __attribute__((aligned(align4))) name##4 {                                              \
    type x, y, z, w;                                                                             \
  };                                                                                             \
  static __host__ __device__ __forceinline__ name##1 make_##name##1(type x) { return {x}; }      \
  static __host__ __device__ __forceinline__ name##2 make_##name##2(type x, type y) {            \
    return {x, y};                                                                               \
  }                                                                                              \
  static __host__ __device__ __forceinline__ name##3 make_##name##3(type x, type y, type z) {    \
    return {x, y, z};                                                                            \
  }                                                                                              \
  static __host__ __device__ __forceinline__ name##4 make_##name##4(type x, type y, type z,      \
                                                                    type w) {                    \
    return {x, y, z, w};                                                                         \
  }
WS_VECTORS(signed char, char, 2, 4)
WS_VECTORS(unsigned char, uchar, 2, 4)
WS_VECTORS(short, short, 4, 8)
WS_VECTORS(unsigned short, ushort, 4, 8)
WS_VECTORS(int, int, 8, 16)
WS_VECTORS(long, long, 16, 16)
WS_VECTORS(unsigned long, ulong, 16, 16)
WS_VECTORS(long long, longlong, 16, 16)
WS_VECTORS(unsigned long long, ulonglong, 16, 16)
WS_VECTORS(float, float, 8, 16)
WS_VECTORS(double, double, 16, 16)
#undef WS_VECTORS

// uint3 stands in warpsmith_device.h, where the ids need it.
struct uint1 {
  unsigned x;
};
struct __attribute__((aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
  unsigned x, y, z, w;
};
static __host__ __device__ __forceinline__ uint1 make_uint1(unsigned x) { return {x}; }
static __host__ __device__ __forceinline__ uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
static __host__ __device__ __forceinline__ uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
static __host__ __device__ __forceinline__ uint4 make_uint4(unsigned x, unsigned y, unsigned z,
                                                            unsigned w) {
  return {x, y, z, w};
}
