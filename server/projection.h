// One result, as each protocol revision wants to see it.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/error.h"
#include "server/protocol.h"
#include "tools/tool.h"

namespace ws {

/// What a client may keep, and for whom.
struct CacheHint {
  std::int64_t ttl_ms = 0;
  bool shared = false;  ///< "public": the same for every client.
};

inline constexpr CacheHint kStaticHint{300000, true};        ///< Fixed for one build of the server.
inline constexpr CacheHint kImmutableHint{86400000, false};  ///< Content-addressed.
inline constexpr CacheHint kNoCacheHint{0, false};

/// {name, version}, and a title where the revision has titles.
Json server_info(Revision revision, const std::string& version);

/// Adds what each modern result carries (resultType, the cache fields when given, serverInfo) and
/// gives the JSON text. Older revisions get `result` as it is: strict clients refuse more.
std::string finish_result(Revision revision, OrderedJson result, const std::string& server_version,
                          std::optional<CacheHint> hint = {});

/// A tool as tools/list shows it: 2025-03-26 knows no title, outputSchema or _meta.
Json project_tool(Revision revision, const Json& spec);

/// A tool's answer: structuredContent (`summary` first, `next_steps` last), the same as text, and a
/// resource_link for each of its `links`. 2025-03-26 knows neither structured content nor links:
/// there the links are text.
OrderedJson call_result(Revision revision, const Json& structured);

/// A tool's error: `isError`, the text of to_text, and the code's word in _meta.
OrderedJson call_error(const Error& error);

/// A resource's text.
OrderedJson read_result(const ResourceText& resource);

}  // namespace ws
