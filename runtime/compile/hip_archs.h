// The AMD architectures that the hiprtc of this machine compiles for.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/hip_kit.h"

namespace ws {

/// hiprtc says nowhere what it knows, and ends the process for what it does not: each architecture
/// is tried once in a worker of its own, and the answer is kept for as long as the library's files
/// are the same.
class HipArchs {
 public:
  /// @param executable  Of this product: it is the worker too.
  /// @param memory      The file of answers; it and its folder need not be there. "": none is kept.
  HipArchs(std::string executable, HipKit kit, std::filesystem::path memory);

  /// Blocks for up to a second the first time. Any thread.
  /// @errors kUnsupported: hiprtc cannot be opened; kIo, kTimeout: the worker could not say.
  Result<bool> knows(const std::string& arch);

  /// The architectures of ROCm 5 and 6 that this library knows, in the table's order. Tries all
  /// that were not tried yet: seconds. Any thread. @errors as knows().
  Result<std::vector<std::string>> known();

 private:
  Status recall();
  void remember();
  [[nodiscard]] Result<bool> try_out(const std::string& arch) const;
  Result<bool> knows_locked(const std::string& arch);

  const std::string executable_;
  const HipKit kit_;
  const std::filesystem::path memory_;
  std::mutex mutex_;
  std::string identity_;               // guarded by mutex_; empty: not looked at yet
  std::map<std::string, bool> known_;  // guarded by mutex_
};

/// "gfx" and three to five hexadecimal digits.
bool is_hip_arch(std::string_view arch);

}  // namespace ws
