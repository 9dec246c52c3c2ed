#include "runtime/archive/store/upkeep.h"

#include <chrono>
#include <exception>
#include <utility>

#include "runtime/base/log.h"

namespace ws {
namespace {

// Tools pause for longer between two writes; a burst of writes does not.
constexpr std::chrono::milliseconds kPause(10);
// Where writes never pause. FTS5 itself merges 256 pieces of one size at once, in some write.
constexpr std::int64_t kMostUnmerged = 2000;
// A new kernel in a large archive leaves some sixty. While the disk takes them, a few writes wait
// for it too: fewer than one of a hundred.
constexpr int kPagesBetween = 24000;

}  // namespace

Upkeep::Upkeep(Merge merge, Connection file)
    : merge_(std::move(merge)),
      file_(std::move(file)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Upkeep::note_write() {
  {
    const std::lock_guard lock(mutex_);
    ++writes_;
  }
  written_.notify_one();
}

void Upkeep::note_log(int pages) {
  const std::lock_guard lock(mutex_);
  // Once all is written back, the log starts over.
  written_back_ = pages < log_pages_ ? 0 : written_back_;
  log_pages_ = pages;
}

void Upkeep::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (written_.wait(lock, stop, [this] { return writes_ > merged_; })) {
    const std::int64_t before = writes_;
    const bool paused = !written_.wait_for(lock, stop, kPause, [&] { return writes_ != before; });
    if (stop.stop_requested()) {
      return;
    }
    try {
      if (log_pages_ - written_back_ >= kPagesBetween) {
        write_back(lock);
      }
      if (paused || writes_ - merged_ > kMostUnmerged) {
        merge_now(lock);
      }
    } catch (const std::exception& error) {  // No memory: it is done after the next pause.
      log(LogLevel::kWarning, "archive", error.what());
      if (!lock.owns_lock()) {
        lock.lock();
      }
    }
  }
}

void Upkeep::merge_now(std::unique_lock<std::mutex>& lock) {
  const std::int64_t now = writes_;
  lock.unlock();
  const Result<bool> more = merge_();
  if (!more) {
    log(LogLevel::kDebug, "archive", "words were not merged: " + to_text(more.error()));
  }
  lock.lock();
  if (!more || !*more) {
    merged_ = now;
  }
}

void Upkeep::write_back(std::unique_lock<std::mutex>& lock) {
  written_back_ = log_pages_;
  lock.unlock();
  // PASSIVE: what a reader still needs is left for the next time.
  if (const Status done = file_.execute("PRAGMA wal_checkpoint(PASSIVE)"); !done) {
    log(LogLevel::kDebug, "archive", "the log was not written back: " + to_text(done.error()));
  }
  lock.lock();
}

}  // namespace ws
