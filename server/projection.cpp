#include "server/projection.h"

#include <utility>

namespace ws {
namespace {

constexpr const char* kServerName = "warpsmith";

Json text_block(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

/// A row of `links` is {rel, uri}.
Json link_block(Revision revision, const Json& link) {
  const std::string rel = link.value("rel", "");
  const std::string uri = link.value("uri", "");
  if (revision < Revision::k2025_06_18) {
    return text_block(rel + ": " + uri);
  }
  return {{"type", "resource_link"}, {"name", rel}, {"uri", uri}};
}

}  // namespace

Json server_info(Revision revision, const std::string& version) {
  Json info = {{"name", kServerName}, {"version", version}};
  if (revision >= Revision::k2025_06_18) {
    info["title"] = "warpsmith GPU kernel tools";
  }
  return info;
}

std::string finish_result(Revision revision, Json result, const std::string& server_version,
                          std::optional<CacheHint> hint) {
  if (is_modern(revision)) {
    result["resultType"] = "complete";
    result["_meta"][meta::kServerInfo] = server_info(revision, server_version);
    if (hint) {
      result["ttlMs"] = hint->ttl_ms;
      result["cacheScope"] = hint->shared ? "public" : "private";
    }
  }
  return to_line(result);
}

Json project_tool(Revision revision, const Json& spec) {
  Json tool = spec;
  if (revision < Revision::k2025_06_18) {
    for (const char* key : {"title", "outputSchema", "_meta"}) {
      tool.erase(key);
    }
  }
  return tool;
}

Json call_result(Revision revision, Json structured) {
  Json content = Json::array({text_block(to_line(structured))});
  if (const auto links = structured.find("links"); links != structured.end() && links->is_array()) {
    for (const Json& link : *links) {
      content.push_back(link_block(revision, link));
    }
  }
  Json result = {{"content", std::move(content)}};
  if (revision >= Revision::k2025_06_18) {
    result["structuredContent"] = std::move(structured);
  }
  return result;
}

Json call_error(const Error& error) {
  return {{"content", Json::array({text_block(to_text(error))})},
          {"isError", true},
          {"_meta", {{meta::kError, {{"code", word(error.code)}}}}}};
}

Json read_result(const ResourceText& resource) {
  const Json entry = {
      {"uri", resource.uri}, {"mimeType", resource.mime_type}, {"text", resource.text}};
  return {{"contents", Json::array({entry})}};
}

}  // namespace ws
