// A tool as the protocol sees it: a spec that never changes, and one call. Knows no MCP and no
// HTTP.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "runtime/base/call_context.h"
#include "runtime/base/result.h"

namespace ws {

using Json = nlohmann::json;

/// From tools/<name>/schema.json, embedded at build time; unchanged on the wire.
struct ToolSpec {
  std::string name;
  Json json;  ///< name, title, description, inputSchema, outputSchema, annotations.
};

/// The rest of a call that has to wait first, for a job or for a time. A caller that sets
/// CallContext::later holds no thread meanwhile.
struct LaterAnswer {
  /// Calls its argument once, on any thread, when the wait is over; that must not block. Empty: the
  /// call has its answer.
  std::function<void(std::function<void()> over)> wait;
  /// Continues after the wait. May leave another wait.
  std::function<Result<Json>(CallContext& context)> go_on;
};

class Tool {
 public:
  virtual ~Tool() = default;
  [[nodiscard]] virtual const ToolSpec& spec() const = 0;

  /// Runs the tool. `arguments` already meets the input schema. The value is `structuredContent`
  /// and meets the output schema, but where `context.later` has got a wait: then it means nothing.
  /// Never throws. Any request thread.
  virtual Result<Json> call(const Json& arguments, CallContext& context) = 0;
};

/// The answer to a resources/read.
struct ResourceText {
  std::string uri;
  std::string mime_type = "text/plain";
  std::string text;
  bool immutable = false;  ///< Content-addressed: may be cached for long.
};

/// Reads kernel://{id}/source|log, problem://{id}, evidence://{id}, device://{id}, ...
class ResourceReader {
 public:
  virtual ~ResourceReader() = default;
  /// @errors kNotFound: unknown URI; kInvalidArgument: a malformed one. Any request thread.
  virtual Result<ResourceText> read(const std::string& uri) = 0;
  /// URI templates for resources/templates/list: [{uriTemplate, name, description, mimeType}].
  [[nodiscard]] virtual Json templates() const = 0;
};

}  // namespace ws
