// A server that has the page and nothing else.
#pragma once

#include <memory>

#include "server/page/page.h"
#include "server/transport/http_server.h"

namespace ws::server {

class PageServer {
 public:
  /// @param page  Outlives it. @param address  On loopback: there is no token. @errors As
  /// bind_http.
  static Result<std::unique_ptr<PageServer>> open(Page& page, const ListenAddress& address);

  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  [[nodiscard]] int port() const;

  /// Serves until `stop_fd` becomes readable.
  void run(int stop_fd);

 private:
  struct State;

  explicit PageServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ws::server
