// HTTP as bytes on a loopback socket, so that tests can send what no client would.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/base/files.h"

namespace ws {

struct HttpResponse {
  int status = 0;                              ///< 0: the connection ended before a whole response.
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;                            ///< Chunks are put together.
};

class HttpConnection {
 public:
  /// REQUIREs that the port answers.
  explicit HttpConnection(int port);

  /// False when the server has closed the connection.
  bool send(std::string_view bytes);

  /// Waits at most ten seconds for the next response.
  HttpResponse receive();

  /// Bytes up to and including `mark`, of a response that is still coming; shorter at its end.
  std::string until(std::string_view mark);

  void close() { socket_.reset(); }

 private:
  bool more();

  Fd socket_;
  std::string buffer_;
};

/// "POST /mcp" with the usual headers, the given ones and a Content-Length.
std::string post_request(std::string_view body, std::string_view more_headers = {});

/// The headers of a modern tools/call of `tool`, each with its line end.
std::string modern_headers(std::string_view tool);

}  // namespace ws
