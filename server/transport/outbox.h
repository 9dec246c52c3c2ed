// The one writer of a stdio connection: whole lines, never two mixed, never a caller that waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace ws::server {

/// Writes at once what a pipe surely takes at once; the rest goes to a thread of its own, so that a
/// client which sends without reading cannot block the reader, and with it every cancel.
class Outbox {
 public:
  /// The end of a connection whose client reads nothing.
  struct Overflow {
    std::size_t most = std::size_t{256} << 20U;  ///< So many bytes wait for the client at most.
    std::string last_line{};                     ///< Sent in place of the line that is too much.
    std::function<void()> ended{};  ///< Called once, when that is so; must not block. May be empty.
  };

  /// `fd` must outlive the outbox.
  explicit Outbox(int fd)
      : Outbox(fd, Overflow{}) {}

  Outbox(int fd, Overflow overflow);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Waits for what is queued: two seconds, and up to ten where the client reads.
  ~Outbox();

  /// Adds the line end. Any thread. After an error of the descriptor everything is dropped, and so
  /// is what comes after the last line. Needs little memory, and waits until there is some.
  void send(std::string line) noexcept;

 private:
  [[nodiscard]] std::size_t write_at_once(const std::string& line) const;
  void write_queued(std::stop_token stop);
  bool write_all(std::string_view bytes, const std::stop_token& stop);
  void overflow();

  const int fd_;
  const Overflow overflow_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<std::string> queued_;  // guarded by mutex_
  std::size_t queued_bytes_ = 0;   // guarded by mutex_
  bool writing_ = false;           // the thread has bytes that are not out yet; guarded by mutex_
  bool broken_ = false;            // guarded by mutex_; nothing more is written
  bool full_ = false;              // guarded by mutex_; nothing more is taken
  std::atomic<std::size_t> written_ = 0;  // bytes, by the thread
  std::jthread writer_;                   // last: it uses all of the above
};

}  // namespace ws::server
