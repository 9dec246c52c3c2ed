// The descriptors that bulk copies of tensors take, made for a plan.
#pragma once

#include <functional>
#include <vector>

#include "runtime/device/cuda/driver/driver.h"
#include "runtime/device/run_plan.h"

namespace ws::cuda {

/// @param address_of  The device's address of a place in the arena.
/// @errors as Driver::check: the driver refuses one.
Result<std::vector<CuTensorMap>> make_tensor_maps(
    Driver& driver, const std::vector<RunTensorMap>& maps,
    const std::function<CuDevicePtr(std::uint64_t)>& address_of);

}  // namespace ws::cuda
