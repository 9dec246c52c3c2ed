// The server's side of a GPU worker that calls a library in the place of a kernel.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/cuda/library/library_launch.h"
#include "runtime/device/cuda/worker_source.h"
#include "runtime/device/library_run.h"
#include "runtime/kernel/plan/plan.h"

namespace ws::cuda {

/// A worker of `source`, one that called this library before where one rests. The library tries its
/// algorithms while nobody else has the device.
/// @param plan  Buffers without launches. @errors As CallsLibraries::open_library.
Result<LibrarySession> open_library_session(const std::shared_ptr<WorkerSource>& source,
                                            const std::string& lock_folder, const LibraryJob& job,
                                            const ResolvedPlan& plan, std::shared_ptr<Arena> arena,
                                            const std::stop_token& stop);

}  // namespace ws::cuda
