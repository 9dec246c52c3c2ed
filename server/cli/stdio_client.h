// An MCP client of the modern era over a server process's stdin and stdout.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "runtime/base/files.h"
#include "runtime/base/result.h"
#include "server/protocol/protocol.h"
#include "server/transport/line_reader.h"

namespace ws::server {

/// Owns the server process: it is told to end by the end of its input, and killed if it does not.
/// One thread.
class StdioClient {
 public:
  /// Takes the message of each progress notification.
  using ProgressFn = std::function<void(const std::string& message)>;

  /// Starts `executable serve --stdio` with further options; its log of warnings goes to our
  /// stderr. @errors kIo.
  static Result<std::unique_ptr<StdioClient>> start(const std::filesystem::path& executable,
                                                    const std::vector<std::string>& options);

  StdioClient(const StdioClient&) = delete;
  StdioClient& operator=(const StdioClient&) = delete;
  ~StdioClient();

  [[nodiscard]] pid_t server() const { return pid_; }

  /// Sends one request and waits for its result.
  ///
  /// @param params    An object; the envelope is added.
  /// @param progress  May be null.
  /// @errors kIo: the server has ended; kTimeout: it is silent; kInternal: it refused the request.
  Result<Json> request(const std::string& method, Json params, const ProgressFn& progress);

  /// `tools/call`, followed by `job` until the work is done.
  /// @return `structuredContent`. @errors as request(), and what the tool refused.
  Result<Json> call_tool(const std::string& tool, Json arguments, const ProgressFn& progress);

 private:
  StdioClient(pid_t pid, Fd input, Fd output, Fd timer);

  Status send(std::string_view line);
  Result<Json> receive(const ProgressFn& progress);
  void arm_timer(long seconds) const;

  const pid_t pid_;
  Fd input_;
  const Fd output_;
  const Fd timer_;
  LineReader reader_;
  int last_id_ = 0;
};

}  // namespace ws::server
