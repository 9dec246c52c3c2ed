// The means that the fixture's parts share.
#pragma once

#include <functional>
#include <string>

#include "server/protocol/content_tool.h"
#include "tools/registry.h"

namespace ws::conformance {

/// A PNG of one pixel, and a WAV without a sample, in base64.
inline constexpr const char* kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";
inline constexpr const char* kWav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// The work of one tool.
using ToolBody = std::function<server::RpcResult<server::ContentAnswer>(
    const Json& arguments, const server::Inputs& inputs, const server::ContentContext& context)>;

struct ToolRow {
  const char* name;
  const char* description;
  const char* schema;  ///< Its inputSchema, but for the type.
  ToolBody body;
};

void add_tool(ToolRegistry& registry, const ToolRow& row);

/// A form as a request to a client.
Json elicit(const std::string& message, const Json& schema);

/// A form with one field that must be filled in.
Json small_form(const std::string& message, const std::string& field, const std::string& type);

Json text_block(const std::string& text);

/// {type: resource, ...} with a text.
Json resource_block(const std::string& uri, const std::string& mime_type, const std::string& text);

server::ContentAnswer text_answer(const std::string& text);

}  // namespace ws::conformance
