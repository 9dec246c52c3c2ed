#include "runtime/handover/cpp_expression.h"
#include "runtime/handover/launcher.h"

namespace ws {
namespace {

constexpr const char* kIncludes = R"cpp(#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
)cpp";

constexpr const char* kHelpers = R"cpp(
  namespace handover {

  inline void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
      throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
    }
  }

  // A struct that a kernel takes, as bytes.
  class Bytes {
   public:
    template <typename T>
    Bytes& add(T value) {
      data.resize((data.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
      data.resize(data.size() + sizeof(T));
      std::memcpy(data.data() + data.size() - sizeof(T), &value, sizeof(T));
      return *this;
    }

    std::vector<unsigned char> data;
  };

  template <typename P, typename A>
  P converted(const A& value) {
    if constexpr (std::is_same_v<A, Bytes>) {
      P result{};
      std::memcpy(&result, value.data.data(),
                  value.data.size() < sizeof(P) ? value.data.size() : sizeof(P));
      return result;
    } else {
      return static_cast<P>(value);
    }
  }

  struct Shape {
    dim3 grid, block;
    std::size_t shared = 0;
    dim3 cluster = dim3(1, 1, 1);
    bool cooperative = false;
    bool overlaps = false;  // It may start before the launch ahead of it has ended.
  };

  // Launches a kernel with each value as its parameter's type.
  template <typename... P, typename... A>
  void run(void (*kernel)(P...), const Shape& shape, cudaStream_t stream, const A&... given) {
    static_assert(sizeof...(P) == sizeof...(A), "the kernel takes another number of parameters");
    std::tuple<P...> values{converted<P>(given)...};
    const void* const entry = reinterpret_cast<const void*>(kernel);
    if (shape.shared > 48 * 1024) {
      check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shape.shared)),
            "shared memory");
    }
    cudaLaunchAttribute attributes[3];
    cudaLaunchConfig_t config = {};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.shared;
    config.stream = stream;
    config.attrs = attributes;
    const unsigned blocks = shape.cluster.x * shape.cluster.y * shape.cluster.z;
    if (blocks > 1) {
      if (blocks > 8) {
        check(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              "cluster");
      }
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs].val.clusterDim = {shape.cluster.x, shape.cluster.y,
                                                    shape.cluster.z};
      ++config.numAttrs;
    }
    if (shape.cooperative) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs].val.cooperative = 1;
      ++config.numAttrs;
    }
    if (shape.overlaps) {
      attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[config.numAttrs].val.programmaticStreamSerializationAllowed = 1;
      ++config.numAttrs;
    }
    std::apply(
        [&](auto&... value) {
          void* pointers[] = {const_cast<void*>(static_cast<const void*>(&value))..., nullptr};
          check(cudaLaunchKernelExC(&config, entry, pointers), "launch");
        },
        values);
  }

  // Memory for one call, on its stream.
  class Scratch {
   public:
    Scratch(std::int64_t bytes, bool zero, cudaStream_t stream)
        : stream_(stream) {
      check(cudaMallocAsync(&at_, static_cast<std::size_t>(bytes < 1 ? 1 : bytes), stream),
            "scratch memory");
      if (zero) {
        check(cudaMemsetAsync(at_, 0, static_cast<std::size_t>(bytes), stream), "scratch memory");
      }
    }

    ~Scratch() { cudaFreeAsync(at_, stream_); }

    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    void* get() const { return at_; }

   private:
    void* at_ = nullptr;
    cudaStream_t stream_;
  };

  inline void* moved(void* base, std::int64_t bytes) {
    return static_cast<char*>(base) + bytes;
  }

  inline dim3 extent(Int x, Int y = 1, Int z = 1) {
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
  }
)cpp";

constexpr const char* kTensorMaps = R"cpp(
  // The numbers are the driver's own; sizes innermost first, strides in bytes without the
  // innermost.
  inline CUtensorMap tensor_map(int type, void* base, const std::vector<std::uint64_t>& shape,
                                const std::vector<std::uint64_t>& strides,
                                const std::vector<std::uint32_t>& box,
                                const std::vector<std::uint32_t>& steps, int interleave,
                                int swizzle, int l2, int oob) {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found = {};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                           cudaEnableDefault, &found),
          "cuTensorMapEncodeTiled");
    if (entry == nullptr) {
      throw std::runtime_error("this driver has no cuTensorMapEncodeTiled");
    }
    using Encode =
        CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                     const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                     CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    CUtensorMap map;
    const std::vector<cuuint64_t> sizes(shape.begin(), shape.end());
    const std::vector<cuuint64_t> gaps(strides.begin(), strides.end());
    const CUresult code = reinterpret_cast<Encode>(entry)(
        &map, static_cast<CUtensorMapDataType>(type), static_cast<cuuint32_t>(sizes.size()), base,
        sizes.data(), gaps.data(), box.data(), steps.data(),
        static_cast<CUtensorMapInterleave>(interleave), static_cast<CUtensorMapSwizzle>(swizzle),
        static_cast<CUtensorMapL2promotion>(l2), static_cast<CUtensorMapFloatOOBfill>(oob));
    if (code != CUDA_SUCCESS) {
      throw std::runtime_error("a tensor map cannot be made: error " +
                               std::to_string(static_cast<int>(code)));
    }
    return map;
  }

  inline void require(bool holds, const std::string& message) {
    if (!holds) {
      throw std::invalid_argument(message);
    }
  }

  }  // namespace handover
)cpp";

}  // namespace

std::string launcher_prelude() {
  return std::string(kIncludes) + cpp_expression_functions() + kHelpers + kTensorMaps;
}

}  // namespace ws
