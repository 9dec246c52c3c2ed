#include "tools/workflow/workflow.h"

#include <algorithm>
#include <array>

#include "runtime/evaluate/subject.h"
#include "tools/answer/subject_form.h"
#include "tools/typed_tool.h"
#include "tools/workflow/actions.h"
#include "tools/workflow/workflow_schema.h"

namespace ws {
namespace {

/// The answer of what only moves names.
Json named(const std::string& kernel_id, const std::string& summary) {
  return finished(summary, {{"kernel_id", kernel_id}, {"links", kernel_links(kernel_id)}},
                  {next_step("workflow", {{"action", "log"}, {"ref", kernel_id}},
                             "see where the kernel stands")});
}

Result<Json> add_name(Services& services, LineStore& lines, const WorkflowRequest& request,
                      bool fixed) {
  WS_TRY(const KernelRow kernel, services.archive->kernel(request.ref));
  WS_CHECK(lines.add_ref(
      {.name = request.name, .kernel_id = kernel.id, .fixed = fixed, .updated_at = {}}));
  return named(kernel.id, std::string(fixed ? "checkpoint `" : "branch `") + request.name +
                              "` is at " + kernel.id);
}

Result<Json> branch(Services& services, LineStore& lines, const WorkflowRequest& request) {
  return add_name(services, lines, request, false);
}

Result<Json> checkpoint(Services& services, LineStore& lines, const WorkflowRequest& request) {
  return add_name(services, lines, request, true);
}

/// Moves a branch; where none is named it only says what would be gone back to.
Result<Json> restore(Services& services, LineStore& /*lines*/, const WorkflowRequest& request) {
  Archive& archive = *services.archive;
  WS_TRY(const KernelRow kernel, archive.kernel(request.ref));
  if (request.name.empty()) {
    return named(kernel.id, "`" + request.ref + "` is " + kernel.id + "; give it as base");
  }
  WS_TRY(const std::string before, archive.ref(request.name));
  WS_CHECK(archive.set_ref(request.name, kernel.id, before));
  return named(kernel.id,
               "`" + request.name + "` is back at " + kernel.id + "; it was at " + before);
}

struct Action {
  const char* word;
  Result<Json> (*run)(Services& services, LineStore& lines, const WorkflowRequest& request);
  std::array<const char*, 2> needs;  ///< Arguments; null: no more.
};

constexpr std::array<Action, 6> kActions = {{{"log", &log_workflow, {}},
                                             {"compare", &compare_kernels, {"a", "b"}},
                                             {"restore", &restore, {"ref"}},
                                             {"branch", &branch, {"ref", "name"}},
                                             {"checkpoint", &checkpoint, {"ref", "name"}},
                                             {"export", &export_workflow, {"ref"}}}};

}  // namespace

WorkflowTool::WorkflowTool(Services& services)
    : spec_(parse_spec(workflow_schema())),
      services_(services) {}

Result<Json> WorkflowTool::call(const Json& arguments, CallContext& /*context*/) {
  return guarded([&]() -> Result<Json> {
    const std::string word = arguments.at("action");
    const auto* const action = std::find_if(kActions.begin(), kActions.end(),
                                            [&](const Action& row) { return row.word == word; });
    if (action == kActions.end()) {
      return fail(ErrorCode::kInternal, "the schema has an action `" + word + "` too many");
    }
    for (const char* needed : action->needs) {
      if (needed != nullptr && !arguments.contains(needed)) {
        return fail(ErrorCode::kInvalidArgument,
                    "`" + word + "` needs `" + std::string(needed) + "`");
      }
    }
    const CommonParams common = common_params(arguments);
    WS_TRY(const Device* const device, services_.device(common.device));
    WS_TRY(const DeviceInfo info, device->backend->info());
    WS_TRY(const auto lines, LineStore::open(services_.options.data_dir));
    return action->run(services_, *lines,
                       {.ref = arguments.value("ref", ""),
                        .name = arguments.value("name", ""),
                        .a = arguments.value("a", ""),
                        .b = arguments.value("b", ""),
                        .device_id = device->id,
                        .device_key = info.key(),
                        .full = common.full});
  });
}

}  // namespace ws
