#include "server/protocol/projection.h"

#include <array>
#include <string_view>
#include <utility>

#include "server/protocol/base64.h"
#include "server/protocol/json_text.h"

namespace ws::server {
namespace {

std::string text_block(const std::string& text) {
  return R"({"type":"text","text":)" + to_line(Json(text)) + "}";
}

/// As text_block() of a text that is JSON in one line: there only these two characters are left to
/// escape. Every result goes through here, so it copies runs instead of looking at each character.
std::string json_text_block(std::string_view json) {
  std::string block = R"({"type":"text","text":")";
  block.reserve(json.size() + json.size() / 4);
  std::size_t copied = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"' || json[at] == '\\') {
      block.append(json, copied, at - copied).push_back('\\');
      copied = at;
    }
  }
  block.append(json, copied);
  block += "\"}";
  return block;
}

/// A row of `links` is {rel, uri}.
std::string link_block(Revision revision, const Json& link) {
  const std::string rel = link.value("rel", "");
  const std::string uri = link.value("uri", "");
  if (revision < Revision::kJune2025) {
    return text_block(rel + ": " + uri);
  }
  const OrderedJson block = {{"type", "resource_link"}, {"name", rel}, {"uri", uri}};
  return to_line(block);
}

void append_member(std::string& object, const std::string& key, const Json& value) {
  object += object.size() == 1 ? "" : ",";
  append_json(object, key);
  object.push_back(':');
  append_json(object, value);
}

/// Models read from the top, and act on what they read last.
std::string in_reading_order(const Json& structured) {
  constexpr std::size_t kUsualBytes = 2000;
  std::string object = "{";
  object.reserve(kUsualBytes);
  for (const char* key : {"summary", "status"}) {
    if (const auto member = structured.find(key); member != structured.end()) {
      append_member(object, key, *member);
    }
  }
  for (const auto& member : structured.items()) {
    if (member.key() != "summary" && member.key() != "status" && member.key() != "next_steps") {
      append_member(object, member.key(), member.value());
    }
  }
  if (const auto steps = structured.find("next_steps"); steps != structured.end()) {
    append_member(object, "next_steps", *steps);
  }
  return object + "}";
}

/// A message that the summary has said already. Diagnostics are rows of a table: they stay whole.
bool is_said(const Json& message, const std::string& summary) {
  return message.is_string() &&
         summary.find(message.get_ref<const std::string&>()) != std::string::npos;
}

void leave_out_said(Json& part, const std::string& summary) {
  if (!part.is_structured()) {
    return;
  }
  if (part.is_object() && part.contains("message") && is_said(part["message"], summary)) {
    part.erase("message");
  }
  for (auto& [key, value] : part.items()) {
    if (key != "diagnostics") {
      leave_out_said(value, summary);
    }
  }
}

/// An answer as models read it beside its resource links: each sentence and each link once.
Json said_once(const Json& structured) {
  Json text = structured;
  text.erase("links");
  leave_out_said(text, structured.value("summary", ""));
  return text;
}

/// Bounds of texts and lists, which a model need not know beforehand: each refusal names its own.
/// Left out of the list they make room for the forms of problem and kernel.
constexpr std::array<const char*, 5> kUnlisted = {"maxLength", "minLength", "maxItems", "minItems",
                                                  "pattern"};

void leave_out_bounds(Json& schema) {
  if (!schema.is_structured()) {
    return;
  }
  for (const char* key : kUnlisted) {
    // A property may have such a name; what describes it is an object.
    if (const auto bound = schema.find(key); bound != schema.end() && !bound->is_object()) {
      schema.erase(bound);
    }
  }
  for (Json& part : schema) {
    leave_out_bounds(part);
  }
}

}  // namespace

OrderedJson server_info(Revision revision, const Identity& identity, const std::string& version) {
  OrderedJson info = {{"name", identity.name}, {"version", version}};
  if (revision >= Revision::kJune2025) {
    info["title"] = identity.title;
  }
  return info;
}

ResultFinisher::ResultFinisher(const Identity& identity, const std::string& version)
    : server_meta_('"' + std::string(meta::kServerInfo) +
                   "\":" + to_line(server_info(kModern, identity, version))) {}

std::string ResultFinisher::finish(Revision revision, std::string object,
                                   std::optional<CacheHint> hint, std::string_view own_meta,
                                   std::string_view type) const {
  std::string meta(own_meta);
  object.pop_back();
  if (is_modern(revision)) {
    object.append(object.size() == 1 ? "" : ",");
    object.append(R"("resultType":")").append(type).push_back('"');
    if (hint) {
      object += R"(,"ttlMs":)" + std::to_string(hint->ttl_ms) + R"(,"cacheScope":")" +
                (hint->shared ? "public" : "private") + "\"";
    }
    meta += (meta.empty() ? "" : ",") + server_meta_;
  }
  if (!meta.empty()) {
    object += R"(,"_meta":{)" + meta + "}";
  }
  object.push_back('}');
  return object;
}

Json project_tool(Revision revision, const Json& spec, bool bounds) {
  Json tool = spec;
  if (!bounds) {
    leave_out_bounds(tool["inputSchema"]);
  }
  if (tool.contains("outputSchema") && tool["outputSchema"].empty()) {
    tool.erase("outputSchema");
  }
  if (revision < Revision::kJune2025) {
    for (const char* key : {"title", "outputSchema", "_meta"}) {
      tool.erase(key);
    }
  }
  return tool;
}

std::string picture_block(const Result<std::string>& png) {
  if (!png) {
    return text_block("no picture: " + to_text(png.error()));
  }
  return R"({"type":"image","data":")" + to_base64(*png) + R"(","mimeType":"image/png"})";
}

std::string call_result(Revision revision, const Json& structured, const std::string& picture) {
  const std::string ordered = in_reading_order(structured);
  const auto links = structured.find("links");
  const bool linked = links != structured.end() && !links->empty();
  // Without structured content the text is all that a program can read.
  const bool whole = !linked || revision < Revision::kJune2025;
  const std::string text =
      json_text_block(whole ? ordered : in_reading_order(said_once(structured)));
  constexpr std::size_t kFrame = 512;  // The usual size of what finish() adds.
  std::string result = R"({"content":[)";
  result.reserve(text.size() + ordered.size() + kFrame);
  result += text;
  if (linked) {
    for (const Json& link : *links) {
      result += "," + link_block(revision, link);
    }
  }
  result += (picture.empty() ? "" : "," + picture) + "]";
  if (revision >= Revision::kJune2025) {
    result.append(R"(,"structuredContent":)").append(ordered);
  }
  result.push_back('}');
  return result;
}

std::string call_error(const Error& error) {
  return R"({"content":[)" + text_block(to_text(error)) + R"(],"isError":true})";
}

std::string error_meta(const Error& error) {
  return '"' + std::string(meta::kError) + R"(":{"code":")" + std::string(word(error.code)) + "\"}";
}

std::string read_result(const ResourceText& resource, bool binary) {
  OrderedJson entry = {{"uri", resource.uri}, {"mimeType", resource.mime_type}};
  if (binary) {
    entry["blob"] = to_base64(resource.text);
  } else {
    entry["text"] = resource.text;
  }
  return R"({"contents":[)" + to_line(entry) + "]}";
}

}  // namespace ws::server
