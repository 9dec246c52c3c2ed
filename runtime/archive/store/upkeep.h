// Work that a write leaves for later: pieces of the word index to merge, and a write-ahead log to
// write back into the file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "runtime/archive/store/sqlite.h"

namespace ws {

/// A thread of its own. It merges while nobody writes, since a merge holds the write lock; it
/// writes back at any time, which holds up nobody. Any thread may call.
class Upkeep {
 public:
  /// Merges a piece in a transaction. @return True: there is more to merge.
  using Merge = std::function<Result<bool>()>;

  /// @param file  A connection of its own, for writing back.
  Upkeep(Merge merge, Connection file);
  /// Ends after the piece that is being merged.
  ~Upkeep() = default;
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  /// After each write, but for merging.
  void note_write();
  /// After each commit, in their order. @param pages  That the write-ahead log has now.
  void note_log(int pages);

 private:
  void run(const std::stop_token& stop);
  void merge_now(std::unique_lock<std::mutex>& lock);
  void write_back(std::unique_lock<std::mutex>& lock);

  Merge merge_;
  Connection file_;
  std::mutex mutex_;
  std::condition_variable_any written_;
  std::int64_t writes_ = 0;
  std::int64_t merged_ = 0;  ///< The value of writes_ after which nothing was left to merge.
  int log_pages_ = 0;        ///< In the log now.
  int written_back_ = 0;     ///< The pages among log_pages_ that are written back.
  std::jthread thread_;      ///< The last member: it uses all others.
};

}  // namespace ws
