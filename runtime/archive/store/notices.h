// Notices that connections to an archive's database send each other (PostgreSQL's NOTIFY).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

/// A connection that listens on one channel. Not for several threads.
class NoticeEngine {
 public:
  NoticeEngine() = default;
  NoticeEngine(const NoticeEngine&) = delete;
  NoticeEngine& operator=(const NoticeEngine&) = delete;
  virtual ~NoticeEngine() = default;

  /// Waits until a notice is there, `most` has passed or the descriptor `wake` is readable.
  /// @return  The texts of those that are there, none twice in a row.
  /// @errors kIo: the connection is lost, and with it what was not read. It cannot be used again.
  virtual Result<std::vector<std::string>> wait(std::chrono::milliseconds most, int wake) = 0;
};

/// Notices of the channel from now on. @errors As open_postgres().
Result<std::unique_ptr<NoticeEngine>> listen_postgres(const std::string& url,
                                                      const std::string& channel);

}  // namespace ws
