#include "server/protocol/choices.h"

#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr const char* kKey = "choice";

}  // namespace

Json choice_requests(const Choice& choice) {
  const Json schema = {
      {"type", "object"},
      {"properties", {{choice.argument, {{"type", "string"}, {"enum", choice.values}}}}},
      {"required", {choice.argument}}};
  return {{kKey,
           {{"method", "elicitation/create"},
            {"params",
             {{"mode", "form"}, {"message", choice.question}, {"requestedSchema", schema}}}}}};
}

bool was_asked(const Json& responses) {
  return responses.contains(kKey);
}

std::optional<Json> chosen_arguments(const Json& arguments, const Json& responses) {
  const Json response = responses.value(kKey, Json::object());
  const Json content = response.value("content", Json());
  if (response.value("action", Json()) != "accept" || !content.is_object()) {
    return std::nullopt;
  }
  Json chosen = arguments;
  for (const auto& [name, value] : content.items()) {
    if (!value.is_string() || !chosen.contains(name) || !chosen[name].is_string()) {
      return std::nullopt;
    }
    chosen[name] = value;
  }
  return chosen;
}

/// The choice that the user of a client of the older revisions can be asked to make. On stdio: over
/// HTTP each call would have to be a stream for it.
std::optional<Choice> McpServer::ToolRun::choice_for(const Error& error) const {
  const RequestContext& request = call->context;
  if (asked || as_task || is_modern(call->envelope.revision) || request.connection == nullptr ||
      !request.state ||
      !declares(request.state->capabilities(), {{"elicitation", Json::object()}})) {
    return std::nullopt;
  }
  return choice_of(*tool.arguments, error);
}

}  // namespace ws::server
