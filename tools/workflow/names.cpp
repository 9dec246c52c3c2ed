// Names for kernels: made, moved and listed.
#include "runtime/base/audit.h"
#include "tools/answer/subject_form.h"
#include "tools/workflow/actions.h"

namespace ws {
namespace {

constexpr int kMaxRefs = 50;  // That are listed.

Result<NamedKernel> add_name(Services& services, LineStore& lines, const WorkflowRequest& request,
                             bool fixed) {
  WS_TRY(const KernelRow kernel, services.archive->kernel(request.ref));
  WS_CHECK(lines.add_ref(
      {.name = request.name, .kernel_id = kernel.id, .fixed = fixed, .updated_at = {}}));
  audit_stored(StoredKind::kRef, request.name, kernel.id);
  return NamedKernel{kernel.id, std::string(fixed ? "checkpoint `" : "branch `") + request.name +
                                    "` is at " + kernel.id};
}

}  // namespace

Result<NamedKernel> make_branch(Services& services, LineStore& lines,
                                const WorkflowRequest& request) {
  return add_name(services, lines, request, false);
}

Result<NamedKernel> make_checkpoint(Services& services, LineStore& lines,
                                    const WorkflowRequest& request) {
  return add_name(services, lines, request, true);
}

Result<NamedKernel> restore(Services& services, const WorkflowRequest& request) {
  Archive& archive = *services.archive;
  WS_TRY(const KernelRow kernel, archive.kernel(request.ref));
  if (request.name.empty()) {
    return NamedKernel{kernel.id, "`" + request.ref + "` is " + kernel.id + "; give it as base"};
  }
  WS_TRY(const std::string before, archive.ref(request.name));
  WS_CHECK(archive.set_ref(request.name, kernel.id, before));
  audit_stored(StoredKind::kRef, request.name, kernel.id);
  return NamedKernel{kernel.id,
                     "`" + request.name + "` is back at " + kernel.id + "; it was at " + before};
}

Answer answer_of(const NamedKernel& named) {
  return {.summary = named.summary,
          .body = {{"kernel_id", named.kernel_id}, {"links", kernel_links(named.kernel_id)}},
          .next_steps = {next_step("workflow", {{"action", "log"}, {"ref", named.kernel_id}},
                                   "see where the kernel stands")}};
}

Result<NameList> list_names(LineStore& lines) {
  WS_TRY(std::vector<RefRow> names, lines.refs("", kMaxRefs));
  return NameList{std::move(names)};
}

Answer answer_of(const NameList& list) {
  Json rows = Json::array();
  for (const RefRow& ref : list.names) {
    rows.push_back({{"ref", ref.name}, {"kernel_id", ref.kernel_id}, {"at", ref.updated_at}});
    if (ref.fixed) {
      rows.back()["checkpoint"] = true;
    }
  }
  Answer answer{.summary = std::to_string(rows.size()) + " names, the newest first",
                .body = {{"refs", rows}},
                .next_steps = {}};
  if (!list.names.empty()) {
    answer.next_steps.push_back(next_step("workflow",
                                          {{"action", "log"}, {"ref", list.names.front().name}},
                                          "see how that kernel was made"));
  }
  return answer;
}

}  // namespace ws
