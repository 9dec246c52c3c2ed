// Tells the pages that are open what a running server does, when it changes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/base/viewer.h"
#include "server/page/page_data.h"
#include "server/transport/http_server.h"

namespace ws::server {

struct StreamLimits {
  std::size_t streams = 512;
  std::size_t of_one = 256;              ///< Streams of one principal.
  std::chrono::milliseconds pause{500};  ///< The least time between two events.
  /// A stream that is older ends in place of its next event: its page comes again, and shows a
  /// token that may have been revoked since.
  std::chrono::milliseconds longest = std::chrono::minutes(10);
};

/// Streams of events: `devices`, [{id, ...}] as RunningServer gives them, once; then `work`,
/// {lanes, jobs, jobs_left_out}, at once and whenever more than its times has changed. One thread
/// looks for all; it sleeps while nobody looks on, and while nothing changes. Any thread.
class WorkStreams {
 public:
  explicit WorkStreams(RunningServer running, const StreamLimits& limits = {});
  WorkStreams(const WorkStreams&) = delete;
  WorkStreams& operator=(const WorkStreams&) = delete;
  ~WorkStreams() = default;

  /// Begins a stream, which ends when `gone` is requested. May block.
  /// @param head  Of the answer.
  /// @errors kBusy: there are too many; nothing was sent.
  Status open(const std::string& principal, HttpReply head,
              const std::shared_ptr<HttpResponder>& responder, const std::stop_token& gone);

 private:
  /// The work as it is.
  struct Look {
    std::string facts;  ///< Without times.
    std::string event;
  };

  struct Stream {
    std::string principal;
    ViewerPtr viewer;  ///< It shows only the jobs that this one may know of.
    std::shared_ptr<HttpResponder> responder;
    std::chrono::steady_clock::time_point since;
    std::string facts{};  ///< That it was sent last; guarded by telling_.
    std::optional<std::stop_callback<std::function<void()>>> gone{};
  };

  using Streams = std::vector<std::shared_ptr<Stream>>;

  Status add(const std::shared_ptr<Stream>& stream);
  void end(const std::shared_ptr<Stream>& stream);
  [[nodiscard]] Streams open_streams();
  [[nodiscard]] Look look() const;
  static void tell(Stream& stream, const Look& look);
  void tell_all();
  void follow(const std::stop_token& stop);

  const RunningServer running_;
  const StreamLimits limits_;
  std::mutex telling_;  ///< Events reach each stream in their order. Taken before mutex_.
  std::mutex mutex_;
  std::condition_variable_any opened_;  // streams_
  Streams streams_;                     // guarded by mutex_
  std::jthread thread_;                 // last: it uses all of the above
};

}  // namespace ws::server
