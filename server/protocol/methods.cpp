#include "server/protocol/methods.h"

#include <array>
#include <utility>

#include "server/protocol/instructions.h"
#include "server/protocol/prompts.h"

namespace ws::server {
namespace {

constexpr int kResourceNotFoundLegacy = -32002;

/// All our lists fit on one page, so no cursor was ever given out.
RpcResult<void> no_cursor(const Json& params) {
  if (params.contains("cursor")) {
    return rpc_fail(rpc::kInvalidParams, "`cursor` is not one that this server gave out");
  }
  return {};
}

}  // namespace

McpServer::McpServer(const ToolRegistry& registry, Options options)
    : registry_(registry),
      options_(std::move(options)),
      finisher_(options_.version) {
  const OrderedJson discovered = {{"supportedVersions", Json::array({name_of(kModern)})},
                                  {"capabilities", capabilities()},
                                  {"instructions", instructions()}};
  discover_ = finisher_.finish(kModern, to_line(discovered), kStaticHint);
  for (const std::string_view name : kRevisionNames) {
    const Revision revision = *revision_of(name);
    Json list = Json::array();
    for (const ToolRegistry::Entry* entry : registry_.list()) {
      list.push_back(project_tool(revision, entry->tool->spec().json));
    }
    tools_[revision] =
        finisher_.finish(revision, R"({"tools":)" + to_line(list) + "}", kStaticHint);
  }
}

Json McpServer::capabilities() const {
  Json all = {{"prompts", Json::object()}, {"tools", Json::object()}};
  if (options_.resources != nullptr) {
    all["resources"] = Json::object();
  }
  return all;
}

const McpServer::Method* McpServer::find_method(const Call& call) const {
  // The one list of methods.
  //              name                   modern legacy resources slow   handler
  static constexpr std::array kMethods = {
      Method{"initialize", false, true, false, false, &McpServer::initialize},
      Method{"ping", false, true, false, false, &McpServer::ping},
      Method{"prompts/get", true, true, false, false, &McpServer::get_prompt},
      Method{"prompts/list", true, true, false, false, &McpServer::list_prompts},
      Method{"resources/list", true, true, true, false, &McpServer::list_resources},
      Method{"resources/read", true, true, true, true, &McpServer::read_resource},
      Method{"resources/templates/list", true, true, true, false, &McpServer::list_templates},
      Method{"server/discover", true, false, false, false, &McpServer::discover},
      Method{"tools/call", true, true, false, true, &McpServer::call_tool},
      Method{"tools/list", true, true, false, false, &McpServer::list_tools},
  };
  const bool modern = is_modern(call.envelope.revision);
  for (const Method& method : kMethods) {
    if (method.name == call.message.method) {
      const bool known = modern ? method.modern : method.legacy;
      const bool served = !method.resources || options_.resources != nullptr;
      return known && served ? &method : nullptr;
    }
  }
  return nullptr;
}

McpServer::Answer McpServer::discover(const Call& /*call*/) const {
  return discover_;
}

McpServer::Answer McpServer::initialize(const Call& call) const {
  const Json asked = call.message.params.value("protocolVersion", Json());
  if (!asked.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`protocolVersion` must be a string");
  }
  // A version we do not know gets our latest: the client decides whether it can go on.
  Revision agreed = revision_of(asked.get_ref<const std::string&>()).value_or(kLatestLegacy);
  agreed = is_modern(agreed) ? kLatestLegacy : agreed;
  if (call.context.connection != nullptr) {
    call.context.connection->legacy = agreed;
  }
  const OrderedJson result = {{"protocolVersion", name_of(agreed)},
                              {"capabilities", capabilities()},
                              {"serverInfo", server_info(agreed, options_.version)},
                              {"instructions", instructions()}};
  return to_line(result);
}

McpServer::Answer McpServer::ping(const Call& /*call*/) const {
  return std::string("{}");
}

McpServer::Answer McpServer::list_tools(const Call& call) const {
  if (auto checked = no_cursor(call.message.params); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  if (options_.on_tools_listed) {
    options_.on_tools_listed();
  }
  return tools_.at(call.envelope.revision);
}

McpServer::Answer McpServer::list_prompts(const Call& call) const {
  if (auto checked = no_cursor(call.message.params); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  const Revision revision = call.envelope.revision;
  return finisher_.finish(
      revision, R"({"prompts":)" + to_line(server::list_prompts(revision)) + "}", kStaticHint);
}

McpServer::Answer McpServer::get_prompt(const Call& call) const {
  const Json name = call.message.params.value("name", Json());
  if (!name.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`name` must be a string: the prompt to get");
  }
  RpcResult<OrderedJson> prompt =
      server::get_prompt(name.get<std::string>(), call.message.params.value("arguments", Json()));
  if (!prompt) {
    return tl::unexpected(std::move(prompt).error());
  }
  return finisher_.finish(call.envelope.revision, to_line(*prompt));
}

McpServer::Answer McpServer::list_resources(const Call& call) const {
  if (auto checked = no_cursor(call.message.params); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  // Only the texts that are always there; others are reached by the links in results, and there may
  // be thousands of them.
  return finisher_.finish(call.envelope.revision,
                          R"({"resources":)" + to_line(list_prompt_skills()) + "}", kStaticHint);
}

McpServer::Answer McpServer::list_templates(const Call& call) const {
  if (auto checked = no_cursor(call.message.params); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  return finisher_.finish(
      call.envelope.revision,
      R"({"resourceTemplates":)" + to_line(options_.resources->templates()) + "}", kStaticHint);
}

McpServer::Answer McpServer::read_resource(const Call& call) const {
  const Revision revision = call.envelope.revision;
  const Json uri = call.message.params.value("uri", Json());
  if (!uri.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`uri` must be a string");
  }
  if (const auto skill = prompt_skill(uri.get<std::string>())) {
    const ResourceText text = {uri.get<std::string>(), "text/markdown", *skill, false};
    return finisher_.finish(revision, read_result(text), kStaticHint);
  }
  const Result<ResourceText> resource = options_.resources->read(uri.get<std::string>());
  if (!resource) {
    const bool missing = resource.error().code == ErrorCode::kNotFound;
    const bool wrong = missing || resource.error().code == ErrorCode::kInvalidArgument;
    const int not_found = is_modern(revision) ? rpc::kInvalidParams : kResourceNotFoundLegacy;
    const int code = missing ? not_found : (wrong ? rpc::kInvalidParams : rpc::kInternal);
    return rpc_fail(code, to_text(resource.error()), 200, {{"uri", uri}});
  }
  return finisher_.finish(revision, read_result(*resource),
                          resource->immutable ? kImmutableHint : kNoCacheHint);
}

}  // namespace ws::server
