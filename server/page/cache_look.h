// The compile cache as the page shows it: what lies on disk, and what it has answered.
#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>

#include "runtime/base/result.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// Any thread.
class CacheLook {
 public:
  /// @param folder  Of the cache; need not be there. @param running  This process has a server,
  /// which counts what the cache answers.
  CacheLook(std::filesystem::path folder, bool running)
      : folder_(std::move(folder)),
        running_(running) {}

  /// {running, entries, bytes, damaged, hits, misses, hit_percent}: `hits` is {memory, disk,
  /// joined}, all since the server was started; the last three are left out where none runs, and
  /// the percentage before the first compile. The folder is counted every ten seconds at most.
  /// @errors kIo: it cannot be listed.
  Result<Json> form();

 private:
  Result<Json> on_disk();

  const std::filesystem::path folder_;
  const bool running_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point counted_at_;  // guarded by mutex_
  Json counted_;                                      // guarded by mutex_; null: not yet
};

}  // namespace ws::server
