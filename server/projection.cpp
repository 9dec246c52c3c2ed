#include "server/projection.h"

#include <utility>

namespace ws {
namespace {

constexpr const char* kServerName = "warpsmith";

OrderedJson text_block(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

/// A row of `links` is {rel, uri}.
OrderedJson link_block(Revision revision, const Json& link) {
  const std::string rel = link.value("rel", "");
  const std::string uri = link.value("uri", "");
  if (revision < Revision::k2025_06_18) {
    return text_block(rel + ": " + uri);
  }
  return {{"type", "resource_link"}, {"name", rel}, {"uri", uri}};
}

/// Models read from the top, and act on what they read last.
OrderedJson in_reading_order(const Json& structured) {
  OrderedJson ordered = OrderedJson::object();
  const auto move_over = [&](const char* key) {
    if (const auto member = structured.find(key); member != structured.end()) {
      ordered[key] = *member;
    }
  };
  move_over("summary");
  move_over("status");
  for (const auto& member : structured.items()) {
    if (member.key() != "next_steps") {
      ordered[member.key()] = member.value();
    }
  }
  move_over("next_steps");
  return ordered;
}

}  // namespace

Json server_info(Revision revision, const std::string& version) {
  Json info = {{"name", kServerName}, {"version", version}};
  if (revision >= Revision::k2025_06_18) {
    info["title"] = "warpsmith GPU kernel tools";
  }
  return info;
}

std::string finish_result(Revision revision, OrderedJson result, const std::string& server_version,
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

OrderedJson call_result(Revision revision, const Json& structured) {
  OrderedJson ordered = in_reading_order(structured);
  OrderedJson content = OrderedJson::array({text_block(to_line(ordered))});
  const Json links = structured.value("links", Json::array());
  for (const Json& link : links) {
    content.push_back(link_block(revision, link));
  }
  OrderedJson result = {{"content", std::move(content)}};
  if (revision >= Revision::k2025_06_18) {
    result["structuredContent"] = std::move(ordered);
  }
  return result;
}

OrderedJson call_error(const Error& error) {
  return {{"content", OrderedJson::array({text_block(to_text(error))})},
          {"isError", true},
          {"_meta", {{meta::kError, {{"code", word(error.code)}}}}}};
}

OrderedJson read_result(const ResourceText& resource) {
  const OrderedJson entry = {
      {"uri", resource.uri}, {"mimeType", resource.mime_type}, {"text", resource.text}};
  return {{"contents", OrderedJson::array({entry})}};
}

}  // namespace ws
