// Runs a kernel of tiles on the executor of CuIR.
#pragma once

#include <memory>

#include "runtime/device/backend.h"
#include "runtime/device/tile/tile_image.h"
#include "runtime/reference/host_session.h"

namespace ws {

/// @param plan   Bound to `arena`.
/// @errors kInternal: the image is not one of a kernel of tiles, or its program has an error, which
/// the lifter should have found; those of HostWorkers::open.
Result<std::unique_ptr<Session>> open_tile_session(HostWorkers& workers, const Image& image,
                                                   const RunPlan& plan,
                                                   std::shared_ptr<Arena> arena);

}  // namespace ws
