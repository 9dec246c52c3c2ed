// A tool that speaks MCP itself: it answers with content blocks, logs, and may ask its client.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "server/protocol/inputs.h"
#include "tools/tool.h"

namespace ws::server {

/// How much a log message matters: the levels of syslog, from the least.
enum class Severity : std::uint8_t {
  kDebug,
  kInfo,
  kNotice,
  kWarning,
  kError,
  kCritical,
  kAlert,
  kEmergency
};

std::optional<Severity> severity_of(std::string_view name);
std::string_view name_of(Severity severity);

struct Content {
  Json blocks = Json::array();  ///< As MCP has them: [{type, ...}].
  bool is_error = false;
};

/// In place of an answer: the rest takes long. A client that knows tasks gets one, others wait.
struct TakesLong {
  bool only_as_task = false;  ///< Others get an error: -32021.
};

using ContentAnswer = std::variant<Content, InputNeeded, TakesLong>;

/// One call. Its functions may be called until it is answered, by one thread at a time.
struct ContentContext {
  std::stop_token stop;  ///< Requested when the client cancels or goes away.
  /// Empty: nobody wants to know. Each `done` must be above the one before.
  std::function<void(double done, double total)> progress{};
  /// Drops what the client does not want to see.
  std::function<void(Severity severity, const Json& data)> log{};
  bool may_take_long = false;  ///< The tool has said TakesLong, and is not to say it again.
};

class ContentTool : public Tool {
 public:
  explicit ContentTool(ToolSpec spec)
      : spec_(std::move(spec)) {}

  [[nodiscard]] const ToolSpec& spec() const final { return spec_; }

  /// @errors kUnsupported: it answers over MCP only.
  Result<Json> call(const Json& arguments, CallContext& context) final;

  /// Runs the tool from its beginning. After InputNeeded it is called again with what the client
  /// gave, perhaps not all of it, and may ask for more.
  ///
  /// @return  An error is one of JSON-RPC: for a call that no client should have made. Any thread.
  virtual RpcResult<ContentAnswer> answer(const Json& arguments, const Inputs& inputs,
                                          const ContentContext& context) = 0;

 private:
  ToolSpec spec_;
};

}  // namespace ws::server
