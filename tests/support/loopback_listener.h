// Listens on loopback, for tests of clients: takes connections one after the other and does with
// each what the test says.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "runtime/base/files.h"

namespace ws::test {

class LoopbackListener {
 public:
  /// Takes a port, at which nobody answers yet.
  LoopbackListener();
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;
  ~LoopbackListener();

  /// "http://127.0.0.1:PORT"
  [[nodiscard]] const std::string& url() const { return url_; }

  /// Calls `serve` with each connection from now on, on a thread of its own.
  void start(std::function<void(int client)> serve);

  /// Takes no more connections, and waits for the one that is served.
  void stop();

 private:
  Fd socket_;
  std::string url_;
  std::thread thread_;
};

/// Reads an HTTP request up to its end; what has come so far where the client ends first.
std::string read_http_request(int client);

/// @return  False: the client took only a part.
bool send_text(int client, const std::string& text);

}  // namespace ws::test
