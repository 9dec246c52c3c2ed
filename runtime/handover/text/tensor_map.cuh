// ---- Tensor maps, which the driver makes on the host ----
#include <cuda.h>

namespace handover {

struct MapModes {
  int interleave, swizzle, l2, oob;
};

/// Innermost first.
inline std::vector<Int> reversed(std::vector<Int> values) {
  std::reverse(values.begin(), values.end());
  return values;
}
/// The strides of a buffer's own dimensions but the innermost, in bytes.
inline std::vector<Int> strides_in_bytes(const Layout& of, std::size_t element) {
  std::vector<Int> strides = reversed(of.strides);
  if (!strides.empty()) strides.erase(strides.begin());
  for (Int& stride : strides) stride = stride * Int(static_cast<std::int64_t>(element));
  return strides;
}

/// The innermost dimension comes first; strides are in bytes, of all dimensions but that.
/// @param buffer_bytes  The size of the buffer, beyond which no map may reach.
inline Typed<CUtensorMap> tensor_map(const char* name, CUtensorMapDataType type, std::size_t element,
                                     const void* buffer, std::size_t buffer_bytes, const std::vector<Int>& shape,
                                     const std::vector<Int>& strides, const std::vector<Int>& box,
                                     const std::vector<Int>& steps, MapModes modes) {
  std::vector<cuuint64_t> extents, bytes;
  std::vector<cuuint32_t> boxes, each;
  Int reach = shape.at(0) * Int(static_cast<std::int64_t>(element));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    extents.push_back(static_cast<cuuint64_t>(size(shape[i], name).value()));
    boxes.push_back(narrow<cuuint32_t>(box.at(i), name));
    each.push_back(narrow<cuuint32_t>(steps.at(i), name));
    if (i > 0) {
      bytes.push_back(static_cast<cuuint64_t>(size(strides.at(i - 1), name).value()));
      reach = reach + (shape[i] - Int(1)) * strides[i - 1];
    }
  }
  if (reach > Int(static_cast<std::int64_t>(buffer_bytes))) refuse(std::string("tensor map `") + name + "` reaches beyond its buffer");
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found),
          "cudaGetDriverEntryPointByVersion(cuTensorMapEncodeTiled)");
#else
    check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found),
          "cudaGetDriverEntryPoint(cuTensorMapEncodeTiled)");
#endif
    if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver has no tensor maps");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  Typed<CUtensorMap> map = {};
  const CUresult code =
      encode(&map.value, type, static_cast<cuuint32_t>(shape.size()), const_cast<void*>(buffer), extents.data(),
             bytes.data(), boxes.data(), each.data(), static_cast<CUtensorMapInterleave>(modes.interleave),
             static_cast<CUtensorMapSwizzle>(modes.swizzle), static_cast<CUtensorMapL2promotion>(modes.l2),
             static_cast<CUtensorMapFloatOOBfill>(modes.oob));
  if (code != CUDA_SUCCESS) {
    throw std::runtime_error(std::string("cuTensorMapEncodeTiled of `") + name + "` failed with code " +
                             std::to_string(static_cast<int>(code)));
  }
  return map;
}

}  // namespace handover
