// A call of a library in the place of a plan's launches.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/cuda/worker/context.h"
#include "runtime/device/library_run.h"

namespace ws::cuda {

/// The things that a worker needs to answer a call.
struct LibraryJob {
  std::string path;  ///< The library's file, whole.
  LibraryCall call;
};

class LibraryLaunch {
 public:
  LibraryLaunch() = default;
  LibraryLaunch(const LibraryLaunch&) = delete;
  LibraryLaunch& operator=(const LibraryLaunch&) = delete;
  LibraryLaunch(LibraryLaunch&&) = delete;
  LibraryLaunch& operator=(LibraryLaunch&&) = delete;
  virtual ~LibraryLaunch() = default;

  /// Enqueues the call on the context's stream, which may be captured. @errors kUnsupported: the
  /// library refuses.
  virtual Status enqueue() = 0;

  [[nodiscard]] const LibraryFacts& facts() const { return facts_; }

  void name_kernels(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      facts_.algorithm += "; kernel " + name;
    }
  }

 protected:
  LibraryFacts facts_;
};

/// Opens the library, asks it how it would answer the call, and keeps the first of its answers, or
/// one that is clearly faster (fastest.h), each run a few times on what the buffers hold.
/// @param context  Outlives it. @param buffers  Their addresses on the device, as the call numbers
/// them. @errors kUnsupported: the library cannot be opened or takes no such call; as
/// Driver::check.
Result<std::unique_ptr<LibraryLaunch>> make_library_launch(Context& context, const LibraryJob& job,
                                                           const std::vector<CuDevicePtr>& buffers);

}  // namespace ws::cuda
