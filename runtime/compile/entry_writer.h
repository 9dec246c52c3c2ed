// Writes compile outcomes where they are kept, later than they are made.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/compile/compile.h"

namespace ws {

/// Writes one outcome after the other on a thread of its own, so that no compile waits for a slow
/// place.
class EntryWriter {
 public:
  struct Entry {
    std::string key;
    std::shared_ptr<const CompileOutcome> outcome;
  };

  /// At most so many entries wait; further ones are dropped, and the first of them is logged.
  static constexpr std::size_t kMaxWaiting = 256;

  struct Options {
    std::string place;                        ///< For the log: "the folder /var/cache".
    std::function<void(const Entry&)> write;  ///< Called by the thread; logs its errors.
    /// How long entries that wait are still written after stop(); further ones are dropped.
    /// Nothing: all are written.
    std::optional<std::chrono::milliseconds> patience = std::nullopt;
  };

  explicit EntryWriter(Options options);
  /// Stops, and waits until nothing is written any more.
  ~EntryWriter();
  EntryWriter(const EntryWriter&) = delete;
  EntryWriter& operator=(const EntryWriter&) = delete;

  /// Any thread.
  void add(Entry entry);

  /// Nothing is added any more. Any thread.
  void stop();

  /// Waits until all is written. Any thread, before stop().
  void flush();

 private:
  void run();
  /// Whether the entries that wait are given up. With mutex_ held.
  [[nodiscard]] bool is_too_late() const;

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> waiting_;                                      // guarded by mutex_
  bool writing_ = false;                                           // guarded by mutex_
  bool behind_ = false;                                            // guarded by mutex_
  std::optional<std::chrono::steady_clock::time_point> stopping_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ws
