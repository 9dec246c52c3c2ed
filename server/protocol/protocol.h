// The words and numbers of MCP: revisions, error codes, field names. No behaviour.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace ws::server {

using Json = nlohmann::json;
/// Keeps its members in the order they were added: for results, which models read from the top.
using OrderedJson = nlohmann::ordered_json;

/// Oldest first, so that `revision < kJune2025` reads as it sounds.
enum class Revision : std::uint8_t { kMarch2025, kJune2025, kNovember2025, kJuly2026 };

inline constexpr std::array<std::string_view, 4> kRevisionNames = {"2025-03-26", "2025-06-18",
                                                                   "2025-11-25", "2026-07-28"};
inline constexpr Revision kLatestLegacy = Revision::kNovember2025;
inline constexpr Revision kModern = Revision::kJuly2026;

/// Nothing for a version that this server does not speak.
std::optional<Revision> revision_of(std::string_view name);
std::string_view name_of(Revision revision);

/// Stateless, with an envelope in each request; the older ones have a handshake.
constexpr bool is_modern(Revision revision) {
  return revision >= kModern;
}

inline constexpr int kAccepted = 202;    ///< The HTTP status where there is nothing to say.
inline constexpr int kBadRequest = 400;  ///< That of a request that is malformed.
inline constexpr int kNotFound = 404;    ///< That of a method or a session that does not exist.

namespace rpc {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternal = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace rpc

namespace meta {
inline constexpr const char* kVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr const char* kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kError = "warpsmith/error";
}  // namespace meta

/// A JSON-RPC error. Clients show `message` alone, so it says everything.
struct RpcError {
  int code = rpc::kInternal;
  std::string message;
  Json data = nullptr;    ///< Left out when null.
  int http_status = 200;  ///< 200: in-band, the transport did its part.
};

template <typename T>
using RpcResult = tl::expected<T, RpcError>;

inline tl::unexpected<RpcError> rpc_fail(int code, std::string message, int http_status = 200,
                                         Json data = nullptr) {
  return tl::unexpected<RpcError>(RpcError{code, std::move(message), std::move(data), http_status});
}

/// One-line JSON. Bytes that are not UTF-8 (compiler or tool output) become U+FFFD.
std::string to_line(const Json& value);
std::string to_line(const OrderedJson& value);

/// `result` is JSON text. The id keeps its JSON type.
std::string result_line(const Json& id, std::string_view result);

/// A null `id` is left out, as the schemas since 2025-11-25 want it: the request had none that
/// could be read.
std::string error_line(const Json& id, const RpcError& error);

}  // namespace ws::server
