#include "server/protocol/request_state.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/hash.h"
#include "server/protocol/base64.h"

namespace ws::server {
namespace {

constexpr std::size_t kBlock = 64;  // Bytes that SHA-256 takes at a time.

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

std::string padded(std::string key, unsigned pad) {
  for (char& byte : key) {
    byte = static_cast<char>(static_cast<std::uint8_t>(byte) ^ pad);
  }
  return key;
}

/// HMAC-SHA256 in hex. @param key  kBlock bytes. @source RFC 2104.
std::string hmac(const std::string& key, const std::string& text) {
  return sha256_hex(padded(key, 0x5cU) + bytes_of_hex(sha256_hex(padded(key, 0x36U) + text)));
}

/// Takes as long for every wrong text of that length.
bool same(std::string_view left, std::string_view right) {
  unsigned differ = left.size() == right.size() ? 0U : 1U;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    differ |= static_cast<unsigned>(left[i] ^ right[i]);
  }
  return differ == 0;
}

}  // namespace

RequestStates::RequestStates(std::chrono::seconds lifetime)
    : lifetime_(lifetime),
      key_(bytes_of_hex(random_hex(2 * kBlock))) {}

std::string RequestStates::signature(const std::string& payload, const std::string& request) const {
  return hmac(key_, sha256_hex(request) + payload);
}

std::string RequestStates::seal(const Json& state, const std::string& request) const {
  const Json payload = {{"state", state}, {"until", now_seconds() + lifetime_.count()}};
  const std::string text = to_base64(to_line(payload));
  return text + "." + signature(text, request);
}

RpcResult<Json> RequestStates::open(const std::string& sealed, const std::string& request) const {
  const std::string text = sealed.substr(0, sealed.find('.'));
  const std::string shown = text.size() < sealed.size() ? sealed.substr(text.size() + 1) : "";
  if (!same(shown, signature(text, request))) {
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
