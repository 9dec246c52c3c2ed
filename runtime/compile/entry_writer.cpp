#include "runtime/compile/entry_writer.h"

#include <exception>
#include <utility>

#include "runtime/base/log.h"

namespace ws {

EntryWriter::EntryWriter(Options options)
    : options_(std::move(options)),
      thread_([this] { run(); }) {}

EntryWriter::~EntryWriter() {
  stop();
  thread_.join();
}

void EntryWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = stopping_.value_or(std::chrono::steady_clock::now());
  }
  changed_.notify_all();
}

void EntryWriter::add(Entry entry) {
  bool first_dropped = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) {
      first_dropped = !std::exchange(behind_, true);
    } else {
      waiting_.push_back(std::move(entry));
    }
  }
  if (first_dropped) {
    log(LogLevel::kWarning, "compile",
        options_.place + " is slow: " + std::to_string(kMaxWaiting) +
            " compiled kernels wait to be written to it, and further ones are not kept there");
  }
  changed_.notify_all();
}

void EntryWriter::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

bool EntryWriter::is_too_late() const {
  return stopping_ && options_.patience &&
         std::chrono::steady_clock::now() - *stopping_ >= *options_.patience;
}

void EntryWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty() || is_too_late()) {
      return;
    }
    const Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    try {
      options_.write(entry);
    } catch (const std::exception& error) {  // No memory: it is compiled again one day.
      log(LogLevel::kWarning, "compile", error.what());
    }
    lock.lock();
    writing_ = false;
    behind_ = behind_ && !waiting_.empty();
    changed_.notify_all();
  }
}

}  // namespace ws
