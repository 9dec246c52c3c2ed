#include "server/protocol/methods.h"

#include <array>
#include <utility>

#include "server/protocol/apps.h"

namespace ws::server {

McpServer::McpServer(const ToolRegistry& registry, Options options)
    : registry_(registry),
      options_(std::move(options)),
      finisher_(options_.identity, options_.version) {
  OrderedJson discovered = {{"supportedVersions", Json::array({name_of(kModern)})},
                            {"capabilities", capabilities(true)}};
  if (!options_.identity.instructions.empty()) {
    discovered["instructions"] = options_.identity.instructions;
  }
  discover_ = finisher_.finish(kModern, to_line(discovered), kStaticHint);
  for (const ToolRegistry::Entry* entry : registry_.list()) {
    const Tool* const tool = entry->tool.get();
    has_content_tools_ = has_content_tools_ || dynamic_cast<const ContentTool*>(tool) != nullptr;
    if (auto mirrored = mirrored_arguments(tool->spec().json["inputSchema"]); !mirrored.empty()) {
      mirrored_[tool] = std::move(mirrored);
    }
  }
  for (const std::string_view name : kRevisionNames) {
    const Revision revision = *revision_of(name);
    tools_[revision] = tool_list(revision, nullptr);
    if (options_.app != nullptr) {
      tools_with_app_[revision] = tool_list(revision, options_.app);
    }
  }
  std::vector<std::string_view> names;
  for (const Method& method : methods()) {
    names.push_back(method.name);
  }
  counts_ = std::make_unique<RequestCounts>(names, registry_.names());
}

Json McpServer::capabilities(bool modern) const {
  Json all = {{"prompts", Json::object()}, {"tools", Json::object()}};
  if (options_.resources != nullptr) {
    all["resources"] = Json::object();
  }
  if (options_.completions != nullptr) {
    all["completions"] = Json::object();
  }
  if (has(MethodNeeds::kTasks) && modern) {
    all.update(tasks_capability());
  }
  if (options_.jobs != nullptr && !modern) {
    all.update(older_tasks_capability());
  }
  if (options_.app != nullptr && modern) {
    all["extensions"][kAppsExtension] = {{"mimeTypes", {kAppMimeType}}};
  }
  if (has(MethodNeeds::kSkills) && modern) {
    all["extensions"][kSkillsExtension] = {{"directoryRead", true}};
  }
  if (options_.talks) {
    all["logging"] = Json::object();
    for (auto& [name, part] : all.items()) {
      if (name == "tools" || name == "prompts" || name == "resources") {
        part["listChanged"] = true;
      }
    }
    if (options_.resources != nullptr) {
      all["resources"]["subscribe"] = true;
    }
  }
  return all;
}

std::span<const McpServer::Method> McpServer::methods() {
  using Needs = Method::Needs;
  //              name                   modern legacy needs            slow   least        handler
  static constexpr std::array kMethods = {
      Method{"completion/complete", true, true, Needs::kCompletions, true, Role::kRead,
             &McpServer::complete},
      Method{"initialize", false, true, Needs::kNothing, false, Role::kRead,
             &McpServer::initialize},
      Method{"logging/setLevel", false, true, Needs::kTalk, false, Role::kRead,
             &McpServer::set_level},
      Method{"ping", false, true, Needs::kNothing, false, Role::kRead, &McpServer::ping},
      Method{"prompts/get", true, true, Needs::kNothing, false, Role::kRead,
             &McpServer::get_prompt},
      Method{"prompts/list", true, true, Needs::kNothing, false, Role::kRead,
             &McpServer::list_prompts},
      Method{"resources/directory/read", true, false, Needs::kSkills, false, Role::kRead,
             &McpServer::read_directory},
      Method{"resources/list", true, true, Needs::kResources, false, Role::kRead,
             &McpServer::list_resources},
      Method{"resources/read", true, true, Needs::kResources, true, Role::kRead,
             &McpServer::read_resource},
      Method{"resources/subscribe", false, true, Needs::kTalk, false, Role::kRead,
             &McpServer::subscribe},
      Method{"resources/templates/list", true, true, Needs::kResources, false, Role::kRead,
             &McpServer::list_templates},
      Method{"resources/unsubscribe", false, true, Needs::kTalk, false, Role::kRead,
             &McpServer::unsubscribe},
      Method{"server/discover", true, false, Needs::kNothing, false, Role::kRead,
             &McpServer::discover},
      Method{"skills/get", true, false, Needs::kSkills, false, Role::kRead, &McpServer::get_skill},
      Method{"skills/list", true, false, Needs::kSkills, false, Role::kRead,
             &McpServer::list_skills},
      Method{"subscriptions/listen", true, false, Needs::kTalk, true, Role::kRead,
             &McpServer::listen},
      Method{"tasks/cancel", true, false, Needs::kTasks, true, Role::kUse, &McpServer::cancel_task},
      Method{"tasks/cancel", false, true, Needs::kJobs, true, Role::kUse, &McpServer::cancel_job},
      Method{"tasks/get", true, false, Needs::kTasks, true, Role::kRead, &McpServer::get_task},
      Method{"tasks/get", false, true, Needs::kJobs, true, Role::kRead, &McpServer::get_job},
      Method{"tasks/list", false, true, Needs::kJobs, true, Role::kRead, &McpServer::list_jobs},
      Method{"tasks/result", false, true, Needs::kJobs, true, Role::kRead, &McpServer::job_result},
      Method{"tasks/update", true, false, Needs::kTasks, true, Role::kUse, &McpServer::update_task},
      Method{"tools/call", true, true, Needs::kNothing, true, Role::kRead, &McpServer::call_tool},
      Method{"tools/list", true, true, Needs::kNothing, false, Role::kRead, &McpServer::list_tools},
  };
  return kMethods;
}

const McpServer::Method* McpServer::find_method(const Call& call) const {
  using Needs = Method::Needs;
  const Revision revision = call.envelope.revision;
  for (const Method& method : methods()) {
    const bool known = is_modern(revision) ? method.modern : method.legacy;
    const bool later = method.needs == Needs::kJobs && revision < Revision::kNovember2025;
    if (method.name == call.message.method && known && !later) {
      return has(method.needs) ? &method : nullptr;
    }
  }
  return nullptr;
}

bool McpServer::has(MethodNeeds part) const {
  switch (part) {
    case MethodNeeds::kResources:
      return options_.resources != nullptr;
    case MethodNeeds::kCompletions:
      return options_.completions != nullptr;
    case MethodNeeds::kTalk:
      return options_.talks;
    case MethodNeeds::kTasks:
      return options_.tasks || options_.jobs != nullptr;
    case MethodNeeds::kJobs:
      return options_.jobs != nullptr;
    case MethodNeeds::kSkills:
      return options_.skills != nullptr && options_.resources != nullptr;
    case MethodNeeds::kNothing:
      break;
  }
  return true;
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
    if (options_.talks) {
      listen_on(*call.context.connection, call);
    }
  }
  OrderedJson result = {{"protocolVersion", name_of(agreed)},
                        {"capabilities", capabilities(false)},
                        {"serverInfo", server_info(agreed, options_.identity, options_.version)}};
  if (!options_.identity.instructions.empty()) {
    result["instructions"] = options_.identity.instructions;
  }
  return to_line(result);
}

McpServer::Answer McpServer::ping(const Call& /*call*/) const {
  return std::string("{}");
}

RpcResult<void> McpServer::no_cursor(const Call& call) {
  const Json& params = call.message.params;
  if (params.contains("cursor") && !params["cursor"].is_null()) {
    return rpc_fail(rpc::kInvalidParams, "`cursor` is not one that this server gave out");
  }
  return {};
}

McpServer::Answer McpServer::list_prompts(const Call& call) const {
  if (auto checked = no_cursor(call); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  const Revision revision = call.envelope.revision;
  return finisher_.finish(
      revision, R"({"prompts":)" + to_line(options_.prompts->list(revision)) + "}", kStaticHint);
}

McpServer::Answer McpServer::get_prompt(const Call& call) const {
  const Json name = call.message.params.value("name", Json());
  if (!name.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`name` must be a string: the prompt to get");
  }
  const RpcResult<Inputs> inputs = inputs_of(call);
  if (!inputs) {
    return tl::unexpected(inputs.error());
  }
  const RpcResult<PromptAnswer> prompt = options_.prompts->get(
      name.get<std::string>(), call.message.params.value("arguments", Json()), *inputs);
  if (!prompt) {
    return tl::unexpected(prompt.error());
  }
  if (const auto* needed = std::get_if<InputNeeded>(&*prompt)) {
    return input_required(call, *needed);
  }
  return finisher_.finish(call.envelope.revision, to_line(std::get<OrderedJson>(*prompt)));
}

}  // namespace ws::server
