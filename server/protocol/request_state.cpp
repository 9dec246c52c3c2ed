#include "server/protocol/request_state.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/hash.h"
#include "runtime/base/hmac.h"
#include "server/protocol/base64.h"

namespace ws::server {
namespace {

constexpr std::size_t kSecretBytes = 64;

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

RequestStates::RequestStates(std::chrono::seconds lifetime)
    : lifetime_(lifetime),
      key_(bytes_of_hex(random_hex(2 * kSecretBytes))) {}

std::string RequestStates::signature(const std::string& payload, const std::string& request) const {
  return hmac_hex(key_, sha256_hex(request) + payload);
}

std::string RequestStates::seal(const Json& state, const std::string& request) const {
  const Json payload = {{"state", state}, {"until", now_seconds() + lifetime_.count()}};
  const std::string text = to_base64(to_line(payload));
  return text + "." + signature(text, request);
}

RpcResult<Json> RequestStates::open(const std::string& sealed, const std::string& request) const {
  const std::string text = sealed.substr(0, sealed.find('.'));
  const std::string shown = text.size() < sealed.size() ? sealed.substr(text.size() + 1) : "";
  if (!same_signature(shown, signature(text, request))) {
    return rpc_fail(rpc::kInvalidParams,
                    "`requestState` is not what this server gave out for this request; send it as "
                    "it came, with the same parameters, or begin again without it");
  }
  const Json payload = Json::parse(*from_base64(text));
  if (payload["until"].get<std::int64_t>() < now_seconds()) {
    return rpc_fail(rpc::kInvalidParams,
                    "`requestState` is too old; begin again without it and `inputResponses`");
  }
  return payload["state"];
}

std::string request_name(const std::string& method, const Json& params) {
  Json own = params;
  for (const char* key : {"_meta", "inputResponses", "requestState", "task"}) {
    own.erase(key);
  }
  return method + to_line(own);
}

}  // namespace ws::server
