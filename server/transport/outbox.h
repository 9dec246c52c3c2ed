// The one writer of a stdio connection: whole lines, never two mixed, never a caller that waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace ws::server {

/// Writes at once what a pipe surely takes at once; the rest goes to a thread of its own, so that a
/// client which sends without reading cannot block the reader, and with it every cancel.
class Outbox {
 public:
  /// `fd` must outlive the outbox.
  explicit Outbox(int fd);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Waits for what is queued, for at most two seconds: the client may have stopped reading.
  ~Outbox();

  /// Adds the line end. Any thread. After an error of the descriptor everything is dropped. Needs
  /// little memory, and waits until there is some.
  void send(std::string line) noexcept;

 private:
  [[nodiscard]] std::size_t write_at_once(const std::string& line) const;
  void write_queued(std::stop_token stop);

  const int fd_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<std::string> queued_;  // guarded by mutex_
  std::size_t queued_bytes_ = 0;   // guarded by mutex_
  bool writing_ = false;           // the thread has bytes that are not out yet; guarded by mutex_
  bool broken_ = false;            // guarded by mutex_
  std::jthread writer_;            // last: it uses all of the above
};

}  // namespace ws::server
