// Brings answers from the threads that make them to the thread that sends them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/files.h"
#include "server/transport/http_link.h"

namespace ws::server {

class HttpMailbox {
 public:
  /// The descriptor is invalid where the system has none to give.
  HttpMailbox();

  /// Becomes readable when there is mail.
  [[nodiscard]] int descriptor() const { return event_.get(); }

  /// Any thread. A mail for the connection that serve_directly() names goes there at once, when it
  /// comes from the server's own thread.
  void post(HttpMail mail);

  /// The mail that came since the last time.
  std::vector<HttpMail> take();

  /// The server's thread, while it calls a handler.
  void serve_directly(std::uint64_t link, std::function<void(const HttpMail&)> deliver);

  void serve_no_more() { direct_ = nullptr; }

  /// Mail that comes from now on is dropped. The server's thread.
  void close();

  /// Wakes the server.
  void wake();

 private:
  const Fd event_;
  std::mutex mutex_;
  std::vector<HttpMail> mails_;  // guarded by mutex_
  bool closed_ = false;          // guarded by mutex_
  std::thread::id serving_;      // guarded by mutex_: whose thread has set what follows
  std::uint64_t link_ = 0;
  std::function<void(const HttpMail&)> direct_;
};

/// Answers one request through the mailbox; says so where nobody gave an answer.
std::shared_ptr<HttpResponder> mail_responder(std::shared_ptr<HttpMailbox> mailbox,
                                              std::uint64_t link, std::uint64_t request,
                                              std::string accepted);

}  // namespace ws::server
