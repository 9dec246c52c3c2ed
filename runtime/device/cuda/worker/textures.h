// The texture objects of a plan on one device.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/device/cuda/driver/handles.h"
#include "runtime/device/cuda/worker/context.h"
#include "runtime/device/run_plan.h"

namespace ws::cuda {

/// A texture reads its buffer in place where the buffer's address and rows are aligned as the
/// device wants them, and a copy otherwise, which is made before the launches that take it.
class DeviceTextures {
 public:
  DeviceTextures() = default;

  /// @param address_of  The device's address of a place in the arena.
  /// @errors kInvalidArgument: not enough memory; as Driver::check.
  static Result<DeviceTextures> create(Context& context, const RunPlan& plan,
                                       const std::function<CuDevicePtr(std::uint64_t)>& address_of);

  /// The handle that a kernel gets for texture `index` of the plan.
  [[nodiscard]] CuTexObject object(std::int32_t index) const {
    return made_.at(static_cast<std::size_t>(index)).object.get();
  }

  /// Enqueues the copies that launch `step` reads: those of inputs, which stay as they are, before
  /// the first launch that takes them, and those of scratch before each. @errors as Driver::check.
  Status renew(Context& context, std::size_t step) const;

  /// Enqueues what overwrites the copies that a kernel could write to. @errors as Driver::check.
  Status scrub(Context& context, std::uint32_t word) const;

 private:
  struct Made {
    Array array;    ///< The copy of a texture with filters and address modes; null: none.
    Region linear;  ///< The copy of one for tex1Dfetch(); empty: none.
    TextureObject object;
    CuDevicePtr buffer = 0;
    std::vector<std::size_t> steps;  ///< The launches before which it is copied.
  };

  static Status choose_source(Context& context, const RunTexture& texture, Made& made,
                              CuTextureSource& source);
  static Status copy_to_array(Context& context, const RunTexture& texture, const Made& made);

  std::vector<RunTexture> textures_;
  std::vector<Made> made_;
};

}  // namespace ws::cuda
