#include "tools/workflow/workflow.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/workflow/workflow_schema.h"

namespace ws {
namespace {

using Argument = std::optional<std::string> WorkflowParams::*;

/// An argument that an action cannot do without.
struct Need {
  const char* word;
  Argument argument;
};

struct ActionRow {
  const char* word;
  WorkflowAction action;
  std::array<std::optional<Need>, 2> needs;
};

constexpr Need kRef{"ref", &WorkflowParams::ref};
constexpr Need kName{"name", &WorkflowParams::name};

constexpr std::array<ActionRow, 6> kActions = {
    {{"log", WorkflowAction::kLog, {}},
     {"compare",
      WorkflowAction::kCompare,
      {Need{"a", &WorkflowParams::a}, Need{"b", &WorkflowParams::b}}},
     {"restore", WorkflowAction::kRestore, {kRef}},
     {"branch", WorkflowAction::kBranch, {kRef, kName}},
     {"checkpoint", WorkflowAction::kCheckpoint, {kRef, kName}},
     {"export", WorkflowAction::kExport, {kRef}}}};

Status check_needs(const WorkflowParams& params) {
  const auto* const row =
      std::find_if(kActions.begin(), kActions.end(),
                   [&](const ActionRow& action) { return action.action == params.action; });
  for (const std::optional<Need>& need : row->needs) {
    if (need && !(params.*need->argument)) {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + std::string(row->word) + "` needs `" + need->word + "`");
    }
  }
  if ((params.as || params.allow_unverified) && params.action != WorkflowAction::kExport) {
    return fail(ErrorCode::kInvalidArgument,
                std::string("`") + (params.as ? "as" : "allow_unverified") +
                    "` belongs to the action `export`, not to `" + row->word + "`");
  }
  return {};
}

Result<WorkflowRequest> request_of(Services& services, const WorkflowParams& params) {
  WS_TRY(const Device* const device, services.device(params.common.device));
  WS_TRY(const DeviceInfo info, device->backend->info());
  return WorkflowRequest{.ref = params.ref.value_or(""),
                         .name = params.name.value_or(""),
                         .a = params.a.value_or(""),
                         .b = params.b.value_or(""),
                         .device_id = device->id,
                         .device_key = info.key(),
                         .full = params.common.full,
                         .as = params.as,
                         .allow_unverified = params.allow_unverified};
}

template <typename Told>
Result<WorkflowResult> told(const Result<Told>& result) {
  if (!result) {
    return fail(result.error());
  }
  return WorkflowResult{answer_of(*result)};
}

}  // namespace

void from_json(const Json& arguments, WorkflowParams& params) {
  const auto text = [&arguments](const char* field) {
    return arguments.contains(field) ? std::optional(arguments[field].get<std::string>())
                                     : std::nullopt;
  };
  params.common = common_params(arguments);
  params.ref = text("ref");
  params.name = text("name");
  params.a = text("a");
  params.b = text("b");
  params.as = parse_handover_form(arguments.value("as", ""));
  params.allow_unverified = arguments.value("allow_unverified", false);
  const std::string word = arguments.at("action");
  for (const ActionRow& row : kActions) {
    params.action = row.word == word ? row.action : params.action;
  }
}

void to_json(Json& answer, WorkflowResult result) {
  answer = framed(std::move(result.answer));
}

WorkflowTool::WorkflowTool(Services& services)
    : TypedTool(workflow_schema()),
      services_(services) {}

Result<WorkflowResult> WorkflowTool::run(const WorkflowParams& params, CallContext& context) {
  WS_CHECK(check_needs(params));
  WS_TRY(const WorkflowRequest request, request_of(services_, params));
  WS_TRY(const auto lines, LineStore::open(services_.options.archive()));
  switch (params.action) {
    case WorkflowAction::kLog:
      return request.ref.empty() ? told(list_names(*lines))
                                 : told(kernel_tree(services_, *lines, request));
    case WorkflowAction::kCompare:
      return told(compare_kernels(services_, *lines, request));
    case WorkflowAction::kRestore:
      return told(restore(services_, request));
    case WorkflowAction::kBranch:
      return told(make_branch(services_, *lines, request));
    case WorkflowAction::kCheckpoint:
      return told(make_checkpoint(services_, *lines, request));
    case WorkflowAction::kExport:
      break;
  }
  return request.as ? told(hand_over_kernel(services_, request, context.stop))
                    : told(export_workflow(services_, *lines, request));
}

}  // namespace ws
