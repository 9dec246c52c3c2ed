// The sub-commands of the executable. Each returns its exit status.
#pragma once

#include <string>

#include "tools/services.h"

namespace ws {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

struct ServeOptions {
  ServicesOptions services;
  bool stdio = false;
  std::string http;  ///< HOST:PORT, or empty.
};

/// `serve`: until the end of input (stdio), SIGINT or SIGTERM.
int serve_command(const ServeOptions& options);

struct CallOptions {
  ServicesOptions services;
  std::string server_url;  ///< Empty: in this process.
  std::string tool;
  std::string arguments;  ///< JSON, @file, or - for stdin.
};

/// `call`: prints structuredContent and a line end. 0: a result, with any verdict. 1: a tool error,
/// or no server; its text goes to stderr. 2: the tool or the JSON is not one.
int call_command(const CallOptions& options);

}  // namespace ws
