#include "runtime/device/cuda/worker/tensor_maps.h"

namespace ws::cuda {
namespace {

/// The driver's number; types that only kernels tell apart go by their size.
int type_number(DType type) {
  switch (type) {
    case DType::kF16:
      return 6;
    case DType::kF32:
      return 7;
    case DType::kF64:
      return 8;
    case DType::kBf16:
      return 9;
    case DType::kTf32:
      return 11;
    case DType::kI32:
      return 3;
    case DType::kI64:
      return 5;
    default:
      break;
  }
  switch (size_of(type)) {
    case 1:
      return 0;
    case 2:
      return 1;
    case 4:
      return 2;
    default:
      return 4;
  }
}

}  // namespace

Result<std::vector<CuTensorMap>> make_tensor_maps(
    Driver& driver, const std::vector<RunTensorMap>& maps,
    const std::function<CuDevicePtr(std::uint64_t)>& address_of) {
  std::vector<CuTensorMap> made(maps.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const RunTensorMap& map = maps[i];
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the device.
    void* const base = reinterpret_cast<void*>(address_of(map.offset));
    WS_CHECK(WS_CU_CALL(driver, cuTensorMapEncodeTiled, &made[i], type_number(map.type),
                        static_cast<unsigned>(map.shape.size()), base, map.shape.data(),
                        map.strides.data(), map.box.data(), map.element_strides.data(),
                        static_cast<int>(map.modes.interleave), static_cast<int>(map.modes.swizzle),
                        static_cast<int>(map.modes.l2), static_cast<int>(map.modes.oob)));
  }
  return made;
}

}  // namespace ws::cuda
