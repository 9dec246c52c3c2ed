// Waiting for notices of a channel, over connections that may be lost.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "runtime/archive/store/notices.h"
#include "runtime/base/files.h"
#include "runtime/broker/job_broker.h"

namespace ws {

/// One thread.
class NoticeWait {
 public:
  NoticeWait(std::string url, std::string channel);

  /// @return  The notices' texts as ids; `missed` after a connection was made. @errors kIo: there
  /// is none now; it has waited for a while.
  Result<JobNews> wait(std::chrono::milliseconds most, const std::stop_token& stop);

 private:
  const std::string url_;
  const std::string channel_;
  Fd wake_;  ///< Readable: a wait shall end.
  std::unique_ptr<NoticeEngine> listener_;
};

}  // namespace ws
