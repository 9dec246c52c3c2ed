// One lock for each GPU, between all servers of this machine: runs share it, timing has it alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

#include "runtime/base/files.h"

namespace ws::cuda {

/// The folder of the locks of all servers of this machine: /run/lock, where it is for all as in
/// Debian; else /tmp, which a service may have for itself.
std::string gpu_lock_folder();

class GpuLock {
 public:
  enum class Use : std::uint8_t { kShared, kAlone };

  /// A file in `folder`, named by the GPU; it stays there. @errors kIo.
  static Result<GpuLock> open(const std::string& folder, const std::string& uuid);

  /// Waits for it. @errors kBusy: not within `limit`; kCancelled: `stop` was requested.
  Status acquire(Use use, std::chrono::milliseconds limit, const std::stop_token& stop);
  void release();

 private:
  explicit GpuLock(Fd file)
      : file_(std::move(file)) {}

  Fd file_;
};

}  // namespace ws::cuda
