#include "server/methods.h"

#include <array>
#include <memory>
#include <utility>

#include "runtime/base/nearest.h"
#include "server/instructions.h"
#include "server/prompts.h"
#include "tools/answers_at_once.h"

namespace ws {
namespace {

constexpr int kResourceNotFoundLegacy = -32002;

/// All our lists fit on one page, so no cursor was ever given out.
RpcResult<void> no_cursor(const Json& params) {
  if (params.contains("cursor")) {
    return rpc_fail(rpc::kInvalidParams, "`cursor` is not one that this server gave out");
  }
  return {};
}

/// Who shares the queues with others: what says its name, where it comes from. The name is the
/// client's word.
std::string client_of(const Message& message, const std::string& from) {
  constexpr std::size_t kMaxName = 64;
  const Json* at = &message.params;
  for (const char* key : {"_meta", meta::kClientInfo, "name"}) {
    const auto found = at->is_object() ? at->find(key) : at->end();
    if (found == at->end()) {
      return from;
    }
    at = &*found;
  }
  return at->is_string() ? from + " " + at->get<std::string>().substr(0, kMaxName) : from;
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
  return "{}";
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

McpServer::Answer McpServer::call_tool(const Call& call) const {
  static const Json no_arguments = Json::object();
  const Revision revision = call.envelope.revision;
  const Json name = call.message.params.value("name", Json());
  if (!name.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`name` must be a string: the tool to call");
  }
  const ToolRegistry::Entry* entry = registry_.find(name.get_ref<const std::string&>());
  if (entry == nullptr) {
    const std::string hint = suggest(name.get<std::string>(), registry_.names());
    return rpc_fail(rpc::kInvalidParams,
                    "there is no tool " + to_line(name) + (hint.empty() ? "" : "; " + hint));
  }
  const auto arguments = call.message.params.find("arguments");
  if (arguments != call.message.params.end() && !arguments->is_object()) {
    return rpc_fail(rpc::kInvalidParams, "`arguments` must be an object");
  }
  const Json& sent = arguments == call.message.params.end() ? no_arguments : *arguments;
  const bool lasting = call.version && sent.empty();
  if (lasting) {
    if (std::optional<std::string> result = written(*entry, call)) {
      return *std::move(result);
    }
  }
  const Result<Json> output = run_tool(*entry, sent, call);
  if (!output) {
    return finisher_.finish(revision, call_error(output.error()), {}, error_meta(output.error()));
  }
  std::string result = finisher_.finish(revision, call_result(revision, *output));
  if (lasting) {
    note_written(*entry, call, *output, result);
  }
  return result;
}

std::optional<std::string> McpServer::written(const ToolRegistry::Entry& entry,
                                              const Call& call) const {
  const std::lock_guard lock(written_mutex_);
  const auto at = written_.find({entry.tool->spec().name, call.envelope.revision});
  const bool same = at != written_.end() && at->second.version == *call.version;
  return same ? std::optional(at->second.result) : std::nullopt;
}

void McpServer::note_written(const ToolRegistry::Entry& entry, const Call& call, const Json& answer,
                             const std::string& result) const {
  const auto& tool = dynamic_cast<const AnswersAtOnce&>(*entry.tool);
  const std::lock_guard lock(written_mutex_);
  written_[{entry.tool->spec().name, call.envelope.revision}] = {tool.version_of(answer), result};
}

Result<Json> McpServer::run_tool(const ToolRegistry::Entry& entry, const Json& arguments,
                                 const Call& call) const {
  WS_CHECK(entry.input.check(arguments));
  CallContext context{to_line(call.message.id), call.context.stop.get_token(), {}};
  context.caller.client = client_of(call.message, call.context.client);
  std::shared_ptr<ProgressReporter> progress;
  if (!call.envelope.progress_token.is_null() && call.context.notify) {
    progress =
        std::make_shared<ProgressReporter>(call.envelope.progress_token, call.context.notify);
    context.progress = [progress](const Progress& report) { progress->report(report); };
  }
  Result<Json> output = entry.tool->call(arguments, context);
  if (progress) {
    progress->close();
  }
  if (output && options_.check_output) {
    if (const Status met = entry.output.check(*output); !met) {
      return fail(ErrorCode::kInternal, "the result does not meet the tool's output schema", {},
                  met.error().message);
    }
  }
  return output;
}

McpServer::Answer McpServer::list_prompts(const Call& call) const {
  if (auto checked = no_cursor(call.message.params); !checked) {
    return tl::unexpected(std::move(checked).error());
  }
  const Revision revision = call.envelope.revision;
  return finisher_.finish(revision, R"({"prompts":)" + to_line(ws::list_prompts(revision)) + "}",
                          kStaticHint);
}

McpServer::Answer McpServer::get_prompt(const Call& call) const {
  const Json name = call.message.params.value("name", Json());
  if (!name.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`name` must be a string: the prompt to get");
  }
  RpcResult<OrderedJson> prompt =
      ws::get_prompt(name.get<std::string>(), call.message.params.value("arguments", Json()));
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

}  // namespace ws
