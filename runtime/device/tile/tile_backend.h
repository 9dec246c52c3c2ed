// A device that takes kernels of tiles beside its own: they are run by the executor of CuIR.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/device/tile/tile_parser.h"
#include "runtime/reference/host_session.h"

namespace ws {

/// @param device   An emulated one, which is a Sanitizes too: everything else is its own work.
/// @param workers  Outlives the backend.
std::unique_ptr<Backend> make_tile_backend(std::unique_ptr<Backend> device,
                                           std::shared_ptr<TileParser> parser,
                                           HostWorkers& workers);

}  // namespace ws
