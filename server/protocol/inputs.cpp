#include "server/protocol/inputs.h"

#include <utility>

#include "tools/schema_check.h"

namespace ws::server {

namespace {

bool fits_form(const Json& params, const Json& response) {
  const Json action = response.value("action", Json());
  if (action == "decline" || action == "cancel" || params.value("mode", Json()) == "url") {
    return action.is_string();
  }
  const Result<SchemaCheck> schema =
      SchemaCheck::compile(params.value("requestedSchema", Json::object()));
  return action == "accept" && schema && schema->check(response.value("content", Json::object()));
}

/// @param request  {method, params}
bool fits(const Json& request, const Json& response) {
  if (!response.is_object()) {
    return false;
  }
  const Json method = request.value("method", Json());
  if (method == "sampling/createMessage") {
    return response.contains("content") && response["content"].is_structured();
  }
  if (method == "roots/list") {
    return response.contains("roots") && response["roots"].is_array();
  }
  return fits_form(request.value("params", Json::object()), response);
}

}  // namespace

Json Inputs::unanswered(const Json& requests) const {
  Json open = Json::object();
  for (const auto& [key, request] : requests.items()) {
    const auto response = responses.find(key);
    if (response == responses.end() || !fits(request, *response)) {
      open[key] = request;
    }
  }
  return open;
}

Json capability_for(const Json& request) {
  const Json method = request.value("method", Json());
  if (method == "sampling/createMessage") {
    return {{"sampling", Json::object()}};
  }
  if (method == "roots/list") {
    return {{"roots", Json::object()}};
  }
  const Json params = request.value("params", Json::object());
  const bool by_url = params.value("mode", Json()) == "url";
  return {{"elicitation", by_url ? Json{{"url", Json::object()}} : Json::object()}};
}

bool declares(const Json& capabilities, const Json& needed) {
  if (!capabilities.is_object()) {
    return false;
  }
  for (const auto& [key, value] : needed.items()) {
    const auto own = capabilities.find(key);
    if (own == capabilities.end() || (!value.empty() && !declares(*own, value))) {
      return false;
    }
  }
  return true;
}

RpcResult<Json> answerable(const Json& requests, const Json& capabilities) {
  Json kept = Json::object();
  Json needed = Json::object();
  for (const auto& [key, request] : requests.items()) {
    const Json capability = capability_for(request);
    if (declares(capabilities, capability)) {
      kept[key] = request;
    }
    needed.update(capability, true);
  }
  if (kept.empty()) {
    std::string names;
    for (const auto& [name, value] : needed.items()) {
      names += (names.empty() ? "" : ", ") + name;
    }
    return rpc_fail(rpc::kMissingCapability,
                    "this request asks its client for something: the client must declare " + names,
                    kBadRequest, {{"requiredCapabilities", needed}});
  }
  return kept;
}

RpcResult<Json> responses_of(const Json& params) {
  const auto responses = params.find("inputResponses");
  if (responses == params.end()) {
    return Json::object();
  }
  if (!responses->is_object()) {
    return rpc_fail(rpc::kInvalidParams, "`inputResponses` must be an object: results by key");
  }
  for (const auto& [key, response] : responses->items()) {
    if (!response.is_object()) {
      return rpc_fail(rpc::kInvalidParams,
                      "`inputResponses` must hold objects; " + to_line(Json(key)) + " is none");
    }
  }
  return *responses;
}

}  // namespace ws::server
