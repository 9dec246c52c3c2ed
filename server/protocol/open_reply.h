// The one answer to a request.
#pragma once

#include <atomic>
#include <functional>

#include "server/protocol/mcp_server.h"

namespace ws::server {

/// Given once, to where the transport wants it. A request of which nothing is left that could
/// answer is answered by the end of this: with an error.
class OpenReply {
 public:
  /// @param last  Sees the reply before it is sent, and may empty it.
  OpenReply(Json id, std::function<void(Reply&)> last);
  OpenReply(const OpenReply&) = delete;
  OpenReply& operator=(const OpenReply&) = delete;
  ~OpenReply();

  /// Before the work begins. Without it there is nobody to answer.
  void send_to(SendReply send) { send_ = std::move(send); }

  /// Where there is no memory for this reply, that is said in its place. What comes after the first
  /// is dropped. Any thread.
  void send(Reply reply) noexcept;

 private:
  const Json id_;
  std::function<void(Reply&)> last_;
  SendReply send_;
  std::atomic<bool> sent_ = false;
};

}  // namespace ws::server
