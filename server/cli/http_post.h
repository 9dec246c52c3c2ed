// The boundary of libwarpsmith_http.so, which the command line loads where it talks to a server:
// cpp-httplib needs OpenSSL and others, which would take a third of the program's start.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ws::server {

inline constexpr const char* kHttpLibraryFile = "libwarpsmith_http.so";
inline constexpr const char* kHttpPostSymbol = "warpsmith_http_post";

/// Files in PEM form for a server of https://; it is not asked for them otherwise.
struct HttpTrust {
  std::string ca;           ///< Its certificate is of one of these; empty: of one of the system's.
  std::string certificate;  ///< Shown to the server; empty: none.
  std::string key;          ///< The key of that certificate.
};

/// One POST of JSON to http://HOST:PORT or https://HOST:PORT, or a GET.
struct HttpPost {
  std::string server;  ///< "http://127.0.0.1:7411"
  std::string path;    ///< "/mcp"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// For the connection, and for each part of the answer: longer than any wait_ms. For all of a GET
  /// together.
  int limit_s = 3600;
  HttpTrust trust{};
  /// A GET, without a body and without following redirections, of an answer that has at most so
  /// many; 0: a POST.
  std::size_t most_bytes = 0;
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
