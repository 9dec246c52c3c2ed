// Adapts one result to each protocol revision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "server/protocol/offer.h"
#include "server/protocol/protocol.h"
#include "tools/tool.h"

namespace ws::server {

/// How long a client may keep a result, and for whom.
struct CacheHint {
  std::int64_t ttl_ms = 0;
  bool shared = false;  ///< "public": the same for every client.
};

inline constexpr CacheHint kStaticHint{300000, true};        ///< Fixed for one build of the server.
inline constexpr CacheHint kImmutableHint{86400000, false};  ///< Content-addressed.
inline constexpr CacheHint kNoCacheHint{0, false};

/// {name, version}, and a title where the revision has titles.
OrderedJson server_info(Revision revision, const Identity& identity, const std::string& version);

/// Ends a result: what each modern one carries is added (resultType, the cache fields, serverInfo).
/// Older revisions get the result as it is: strict clients refuse more. Any thread.
class ResultFinisher {
 public:
  ResultFinisher(const Identity& identity, const std::string& version);

  /// @param object    JSON text of an object; for older revisions with at least one member.
  /// @param own_meta  Members of the result's own `_meta`, as JSON text without braces; may be
  /// empty.
  [[nodiscard]] std::string finish(Revision revision, std::string object,
                                   std::optional<CacheHint> hint = {},
                                   std::string_view own_meta = {},
                                   std::string_view type = "complete") const;

 private:
  std::string server_meta_;  // "io.modelcontextprotocol/serverInfo":{...}
};

/// A tool as tools/list shows it. An outputSchema that promises nothing is left out, and 2025-03-26
/// knows no title, outputSchema or _meta.
///
/// @param bounds  Whether the bounds of its arguments are shown.
Json project_tool(Revision revision, const Json& spec, bool bounds);

/// A tool's answer: structuredContent (`summary` first, `next_steps` last), the same as text, and a
/// resource_link for each of its `links`. Where there are some the text has no `links` and no
/// `message` that the summary repeats: models read it and the blocks, and shall read each thing
/// once. 2025-03-26 knows neither structured content nor links: there the text is whole, and the
/// links are text.
/// @param picture  A block of content that comes last, as picture_block() makes it; may be empty.
std::string call_result(Revision revision, const Json& structured, const std::string& picture = {});

/// The block of content for a PNG, or for why there is none.
std::string picture_block(const Result<std::string>& png);

/// A tool's error: `isError`, and the text of to_text. Its word is for _meta: error_meta.
std::string call_error(const Error& error);
std::string error_meta(const Error& error);

/// A resource's text. @param binary  Whether that is bytes.
std::string read_result(const ResourceText& resource, bool binary);

}  // namespace ws::server
