#include "server/protocol/envelope.h"

#include <array>
#include <string_view>
#include <utility>

#include "server/protocol/base64.h"
#include "server/protocol/content_tool.h"

namespace ws::server {
namespace {

constexpr std::string_view kBase64Start = "=?base64?";
constexpr std::string_view kBase64End = "?=";

/// The parameter that Mcp-Name repeats.
struct NameRow {
  std::string_view method;
  const char* parameter;
};

constexpr std::array kNameRows = {
    NameRow{"tools/call", "name"},    NameRow{"prompts/get", "name"},
    NameRow{"resources/read", "uri"}, NameRow{"tasks/cancel", "taskId"},
    NameRow{"tasks/get", "taskId"},   NameRow{"tasks/update", "taskId"},
};

const Json& meta_of(const Message& message) {
  static const Json none = Json::object();
  const auto found = message.params.find("_meta");
  return found != message.params.end() && found->is_object() ? *found : none;
}

/// A message with any of these was written for the stateless protocol.
bool has_modern_key(const Json& envelope) {
  return envelope.contains(meta::kVersion) || envelope.contains(meta::kCapabilities) ||
         envelope.contains(meta::kClientInfo) || envelope.contains(meta::kLogLevel);
}

tl::unexpected<RpcError> mismatch(std::string message) {
  return rpc_fail(rpc::kHeaderMismatch, std::move(message), kBadRequest);
}

tl::unexpected<RpcError> bad_envelope(std::string message) {
  return rpc_fail(rpc::kInvalidParams, std::move(message), kBadRequest);
}

tl::unexpected<RpcError> unsupported(const std::string& version) {
  const std::string_view modern = name_of(kModern);
  return rpc_fail(rpc::kUnsupportedVersion,
                  "protocol version \"" + version + "\" is not supported; use " +
                      std::string(modern) + " in each request, or initialize with " +
                      std::string(name_of(kLatestLegacy)),
                  kBadRequest, {{"supported", Json::array({modern})}, {"requested", version}});
}

/// Checks `header` against what the body says.
RpcResult<void> same_header(const char* name, const std::optional<std::string>& header,
                            const std::string& body) {
  if (!header) {
    return mismatch("the header " + std::string(name) + " is missing; it must be \"" + body + "\"");
  }
  const std::optional<std::string> value = decode_header(*header);
  if (!value) {
    return mismatch("the header " + std::string(name) + " is not valid base64: \"" + *header +
                    "\"");
  }
  if (*value != body) {
    return mismatch("the header " + std::string(name) + " is \"" + *value +
                    "\", but the body says \"" + body + "\"");
  }
  return {};
}

RpcResult<void> complete(const Json& envelope) {
  std::string missing;
  for (const char* key : {meta::kVersion, meta::kCapabilities}) {
    if (!envelope.contains(key)) {
      missing += (missing.empty() ? "" : ", ") + std::string(key);
    }
  }
  if (!missing.empty()) {
    return bad_envelope("params._meta lacks " + missing);
  }
  if (!envelope[meta::kVersion].is_string()) {
    return bad_envelope(std::string(meta::kVersion) + " must be a string");
  }
  if (!envelope[meta::kCapabilities].is_object()) {
    return bad_envelope(std::string(meta::kCapabilities) + " must be an object");
  }
  if (const auto level = envelope.find(meta::kLogLevel); level != envelope.end()) {
    if (!level->is_string() || !severity_of(level->get_ref<const std::string&>())) {
      return bad_envelope(std::string(meta::kLogLevel) +
                          " must be a syslog level, such as \"info\"");
    }
  }
  return {};
}

RpcResult<void> routing_headers(const Message& message, const McpHeaders& headers) {
  if (auto checked = same_header("Mcp-Method", headers.method, message.method); !checked) {
    return checked;
  }
  for (const NameRow& row : kNameRows) {
    const auto name = message.params.find(row.parameter);
    if (message.method == row.method && name != message.params.end() && name->is_string()) {
      return same_header("Mcp-Name", headers.name, name->get<std::string>());
    }
  }
  return {};
}

RpcResult<void> check_modern(const Message& message, const Json& envelope,
                             const McpHeaders* headers) {
  const auto claim = envelope.find(meta::kVersion);
  if (headers != nullptr && claim != envelope.end() && claim->is_string()) {
    auto same = same_header("MCP-Protocol-Version", headers->version, claim->get<std::string>());
    if (!same) {
      return same;
    }
  }
  if (auto whole = complete(envelope); !whole) {
    return whole;
  }
  if (envelope[meta::kVersion] != name_of(kModern)) {
    return unsupported(envelope[meta::kVersion].get<std::string>());
  }
  return headers == nullptr ? RpcResult<void>{} : routing_headers(message, *headers);
}

RpcResult<Json> progress_token(const Json& envelope) {
  const auto token = envelope.find("progressToken");
  if (token == envelope.end() || token->is_null()) {
    return Json();
  }
  if (!token->is_string() && !token->is_number_integer()) {
    return rpc_fail(rpc::kInvalidParams, "progressToken must be a string or an integer");
  }
  return *token;
}

/// The lane of a message without a modern key in its body.
RpcResult<Revision> legacy_revision(const Message& message, const McpHeaders* headers,
                                    Revision fallback) {
  if (message.method == "initialize" || headers == nullptr || !headers->version) {
    return fallback;
  }
  const std::optional<Revision> named = revision_of(*headers->version);
  if (!named) {
    return unsupported(*headers->version);
  }
  return *named;
}

}  // namespace

std::optional<std::string> decode_header(const std::string& value) {
  const std::string_view text = value;
  if (text.size() < kBase64Start.size() + kBase64End.size() || !text.starts_with(kBase64Start) ||
      !text.ends_with(kBase64End)) {
    return value;
  }
  return from_base64(
      text.substr(kBase64Start.size(), text.size() - kBase64Start.size() - kBase64End.size()));
}

RpcResult<Envelope> open_envelope(const Message& message, const McpHeaders* headers,
                                  Revision fallback) {
  const Json& envelope = meta_of(message);
  Envelope opened;
  opened.revision = kModern;
  if (!has_modern_key(envelope)) {
    auto revision = legacy_revision(message, headers, fallback);
    if (!revision) {
      return tl::unexpected(std::move(revision).error());
    }
    opened.revision = *revision;
  }
  // A notification gets no answer that could say what its envelope lacks.
  if (is_modern(opened.revision) && !message.is_notification()) {
    if (auto checked = check_modern(message, envelope, headers); !checked) {
      return tl::unexpected(std::move(checked).error());
    }
  }
  auto token = progress_token(envelope);
  if (!token) {
    return tl::unexpected(std::move(token).error());
  }
  opened.progress_token = *std::move(token);
  return opened;
}

}  // namespace ws::server
