#include "server/protocol/mirrored_arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace ws::server {
namespace {

constexpr const char* kMark = "x-mcp-header";

void collect(const Json& schema, std::vector<std::string>& path,
             std::vector<MirroredArgument>& found) {
  const auto properties = schema.is_object() ? schema.find("properties") : schema.end();
  if (properties == schema.end() || !properties->is_object()) {
    return;
  }
  for (const auto& [name, property] : properties->items()) {
    path.push_back(name);
    const Json mark = property.is_object() ? property.value(kMark, Json()) : Json();
    if (mark.is_string()) {
      std::string header = kArgumentHeader + mark.get<std::string>();
      std::transform(header.begin(), header.end(), header.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      found.push_back({std::move(header), path});
    }
    collect(property, path, found);
    path.pop_back();
  }
}

/// Null where there is none.
const Json& value_at(const Json& arguments, const std::vector<std::string>& path) {
  static const Json none;
  const Json* at = &arguments;
  for (const std::string& name : path) {
    const auto member = at->is_object() ? at->find(name) : at->end();
    if (member == at->end()) {
      return none;
    }
    at = &*member;
  }
  return *at;
}

bool says(const std::string& text, const Json& value) {
  if (value.is_string()) {
    return value == text;
  }
  if (!value.is_number_integer()) {
    return to_line(value) == text;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && value == number;
}

tl::unexpected<RpcError> differs(const std::string& header, const std::string& problem) {
  return rpc_fail(rpc::kHeaderMismatch, "the header " + header + " " + problem, kBadRequest);
}

}  // namespace

std::vector<MirroredArgument> mirrored_arguments(const Json& schema) {
  std::vector<MirroredArgument> found;
  std::vector<std::string> path;
  collect(schema, path, found);
  return found;
}

RpcResult<void> check_mirrored(const std::vector<MirroredArgument>& mirrored, const Json& arguments,
                               const McpHeaders& headers) {
  for (const MirroredArgument& row : mirrored) {
    const Json& value = value_at(arguments, row.path);
    if (value.is_null()) {
      continue;
    }
    const auto sent =
        std::find_if(headers.arguments.begin(), headers.arguments.end(),
                     [&row](const auto& header) { return header.first == row.header; });
    if (sent == headers.arguments.end()) {
      return differs(row.header, "is missing; it must be " + to_line(value));
    }
    const std::optional<std::string> text = decode_header(sent->second);
    if (!text) {
      return differs(row.header, "is not valid base64: " + to_line(Json(sent->second)));
    }
    if (!says(*text, value)) {
      return differs(row.header,
                     "is " + to_line(Json(*text)) + ", but the body says " + to_line(value));
    }
  }
  return {};
}

}  // namespace ws::server
