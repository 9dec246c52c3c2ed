// A message of JSON-RPC as bytes: it is refused with a code and a reason, or is one that is the
// same when it is written and read again; then its envelope, with and without headers.
#include "server/protocol/envelope.h"
#include "server/protocol/message.h"
#include "tests/fuzz/must.h"

namespace {

using namespace ws::server;
using ws::fuzz::must;

template <typename T>
bool is_explained(const RpcResult<T>& result) {
  return result || (result.error().code < 0 && !result.error().message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const RpcResult<Json> json = parse_json(ws::fuzz::text_of(data, size));
  must(is_explained(json));
  if (!json) {
    return 0;
  }
  const RpcResult<Json> again = parse_json(json->dump());
  must(again && *again == *json);
  const RpcResult<Message> message = to_message(*json);
  must(is_explained(message));
  if (!message) {
    const Json id = usable_id(*json);
    must(id.is_null() || id.is_string() || id.is_number_integer());
    return 0;
  }
  must(!message->method.empty() && message->method.size() <= kMaxMethodBytes);
  must(is_explained(open_envelope(*message, nullptr, kLatestLegacy)));
  McpHeaders headers;
  headers.version = message->params.is_object() && message->params.contains("version")
                        ? std::optional(message->params["version"].dump())
                        : std::nullopt;
  headers.method = message->method;
  headers.name = message->method;
  must(is_explained(open_envelope(*message, &headers, kLatestLegacy)));
  static_cast<void>(decode_header(message->method));
  return 0;
}
