// The boundary of libwarpsmith_http.so, which the command line loads where it talks to a server:
// cpp-httplib needs OpenSSL and others, which would take a third of the program's start.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ws::server {

inline constexpr const char* kHttpLibraryFile = "libwarpsmith_http.so";
inline constexpr const char* kHttpPostSymbol = "warpsmith_http_post";

/// One POST of JSON to http://HOST:PORT.
struct HttpPost {
  std::string server;  ///< "http://127.0.0.1:7411"
  std::string path;    ///< "/mcp"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  int limit_s = 3600;  ///< For the connection, and for the answer: longer than any wait_ms.
};

/// The answer of a server.
struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// The exported function. Program and library are built from one tree, by one compiler.
/// @param reason  Set where there is no answer.
using HttpPostFunction = void (*)(const HttpPost& post, HttpAnswer& answer, std::string& reason);

}  // namespace ws::server
