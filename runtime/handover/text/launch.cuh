// ---- Launches ----
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#include <array>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstring>
#include <tuple>

typedef unsigned char uchar;

namespace handover {

inline void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
  }
}

inline double as_f64(double value) { return value; }
inline float as_f32(double value) { return static_cast<float>(value); }
inline float as_tf32(double value) { return static_cast<float>(value); }
inline __half as_f16(double value) { return __double2half(value); }
inline __nv_bfloat16 as_bf16(double value) { return __double2bfloat16(value); }
inline __nv_fp8_storage_t as_f8e4m3(double value) { return __nv_cvt_double_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }
inline __nv_fp8_storage_t as_f8e5m2(double value) { return __nv_cvt_double_to_fp8(value, __NV_NOSAT, __NV_E5M2); }

struct Address {
  const void* pointer;
};
template <typename T>
struct Typed {
  T value;
};
/// A dim or a parameter, which takes the width of the kernel's parameter.
struct Whole {
  Int value;
  const char* name;
};
template <typename T>
Typed<T> typed(T value) {
  return {value};
}

/// The bytes of one parameter of a kernel.
template <typename P>
struct Slot {
  alignas(P) unsigned char bytes[sizeof(P)] = {};

  Slot(const Address& address) {
    static_assert(sizeof(P) == sizeof(void*), "the plan passes an address here");
    std::memcpy(bytes, &address.pointer, sizeof(P));
  }
  template <typename T>
  Slot(const Typed<T>& number) {
    static_assert(sizeof(P) == sizeof(T), "the plan passes a value of another size here");
    std::memcpy(bytes, &number.value, sizeof(P));
  }
  Slot(const Whole& whole) {
    static_assert(sizeof(P) == 4 || sizeof(P) == 8, "the plan passes a whole number here");
    const std::int64_t value = whole.value.value();
    if (sizeof(P) == 4 && (value < std::numeric_limits<std::int32_t>::min() || value > std::int64_t{0xffffffff})) {
      refuse(std::string("`") + whole.name + "` is " + text_of(whole.value) + ", which 32 bits do not hold");
    }
    std::memcpy(bytes, &value, sizeof(P));
  }
};

struct Launch {
  const char* name;
  Int grid[3];
  Int block[3];
  Int shared_bytes;
  Int cluster[3];
  bool cooperative;
  bool overlaps;  // It may start before the launch ahead of it has ended.
};

inline unsigned extent(Int value, const char* launch, const char* what) {
  if (value.value() < 1 || value.value() > INT_MAX) {
    refuse(std::string(launch) + ": an extent of the " + what + " is " + text_of(value));
  }
  return static_cast<unsigned>(value.value());
}
inline dim3 extents(const Int (&of)[3], const char* launch, const char* what) {
  return dim3(extent(of[0], launch, what), extent(of[1], launch, what), extent(of[2], launch, what));
}

inline void launch_packed(const void* entry, const Launch& launch, cudaStream_t stream, void** arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = extents(launch.grid, launch.name, "grid");
  config.blockDim = extents(launch.block, launch.name, "block");
  config.dynamicSmemBytes = static_cast<std::size_t>(narrow<int>(size(launch.shared_bytes, "shared_bytes"), "shared_bytes"));
  config.stream = stream;
  const dim3 cluster = extents(launch.cluster, launch.name, "cluster");
  cudaLaunchAttribute attributes[3] = {};
  config.attrs = attributes;
  if (config.dynamicSmemBytes > (48u << 10)) {
    check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(config.dynamicSmemBytes)),
          "cudaFuncSetAttribute(MaxDynamicSharedMemorySize)");
  }
  if (cluster.x * cluster.y * cluster.z > 8) {
    check(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute(NonPortableClusterSizeAllowed)");
  }
  if (cluster.x * cluster.y * cluster.z > 1) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
  }
  if (launch.cooperative) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (launch.overlaps) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  check(cudaLaunchKernelExC(&config, entry, arguments), launch.name);
}

template <typename... P, typename... A>
void launch(void (*entry)(P...), const Launch& how, cudaStream_t stream, const A&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "the plan passes as many arguments as the kernel takes");
  std::tuple<Slot<P>...> slots{Slot<P>(arguments)...};
  std::array<void*, sizeof...(P) + 1> pointers = std::apply(
      [](auto&... slot) { return std::array<void*, sizeof...(P) + 1>{static_cast<void*>(slot.bytes)..., nullptr}; },
      slots);
  launch_packed(reinterpret_cast<const void*>(entry), how, stream, pointers.data());
}

}  // namespace handover
