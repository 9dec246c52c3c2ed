// Lines from a descriptor, with a limit that is kept without storing what is beyond it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/transport/short_wait.h"

namespace ws::server {

class LineReader {
 public:
  enum class Event : std::uint8_t {
    kLine,     ///< `line()` has it, without its end.
    kTooLong,  ///< A line over the limit was skipped.
    kEnd,      ///< End of input, or it cannot be read any more.
    kStopped,  ///< `stop_fd` became readable.
  };

  /// @param stop_fd  Ends a wait when it becomes readable; -1: nothing does.
  LineReader(int fd, int stop_fd, std::size_t limit_bytes);

  /// This descriptor ends a wait as well.
  void also_stop(int fd) { other_stop_fd_ = fd; }

  /// Waits for the next line. What is left at the end of input without a line end is a line too.
  Event next();

  /// Valid until the next call of `next`.
  [[nodiscard]] std::string_view line() const { return line_; }

 private:
  bool take_line();
  Event fill();

  const int fd_;
  const int stop_fd_;
  int other_stop_fd_ = -1;
  const std::size_t limit_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the next line in buffer_
  std::size_t scanned_ = 0;  // up to here there is no line end
  std::string_view line_;
  ShortWait pause_;
  bool skipping_ = false;  // inside a line that is too long
  bool ended_ = false;
};

}  // namespace ws::server
