// MCP over stdin and stdout: one message a line, many requests at a time.
#pragma once

#include "runtime/base/files.h"
#include "runtime/base/result.h"
#include "server/protocol/mcp_server.h"

namespace ws::server {

/// Takes stdout for the protocol: returns a private copy of it and points fd 1 at stderr, so that
/// nothing a driver or a library prints can get into the stream. @errors kIo.
Result<Fd> take_stdout();

class StdioTransport {
 public:
  /// @param in       Read until its end; stays the caller's.
  /// @param out      Answers go here; stays the caller's.
  /// @param stop_fd  Ends the session when it becomes readable; -1: only the end of input does.
  StdioTransport(const McpServer& server, int in, int out, int stop_fd);

  /// Serves until the end of input. Requests in progress then have a second to finish, so that
  /// `printf '...' | warpsmith serve --stdio` gets its answer; after that they are told to stop.
  ///
  /// @return  False: some request did not stop within five seconds more. Its thread still runs, so
  ///          the caller must leave without destroying what it uses.
  [[nodiscard]] bool run();

 private:
  const McpServer& server_;
  const int in_;
  const int out_;
  const int stop_fd_;
};

}  // namespace ws::server
