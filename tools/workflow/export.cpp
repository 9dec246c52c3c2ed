// A report and a script of the line that leads to a kernel.
#include "runtime/lineage/workflow_export.h"
#include "runtime/session/skills.h"
#include "tools/workflow/actions.h"

namespace ws {
namespace {

constexpr std::size_t kMaxTable = 2600;  // Bytes of a concise answer's report.

/// Whole lines of the table, as many as there is room for.
std::string cut_table(const std::string& table) {
  if (table.size() <= kMaxTable) {
    return table;
  }
  const std::string shown = table.substr(0, table.rfind('\n', kMaxTable) + 1);
  return shown + "... " + std::to_string(table.size() - shown.size()) +
         " more bytes: detail full, or the link\n";
}

}  // namespace

Result<Json> export_workflow(Services& services, LineStore& lines, const WorkflowRequest& request) {
  Archive& archive = *services.archive;
  WS_TRY(const std::vector<LineKernel> line,
         line_of({archive, lines}, request.ref, request.device_key));
  WS_TRY(const Workflow workflow, workflow_of(archive, line, current_skills(services.options)));
  const std::string id = line.back().row.id;
  Json body = {{"kernel_id", id}, {"device", request.device_id}, {"steps", workflow.steps.size()}};
  if (request.full) {
    body["report"] = whole_report(line, request.device_id);
    body["script"] = to_json(workflow);
  } else {
    body["report"] = cut_table(report_table(line, request.device_id));
  }
  const std::string query = "?device=" + request.device_id;
  body["links"] = Json::array({{{"rel", "report"}, {"uri", "kernel://" + id + "/report" + query}},
                               {{"rel", "script"}, {"uri", "kernel://" + id + "/workflow"}}});
  return finished(std::to_string(workflow.steps.size()) + " steps from " + line.front().row.id +
                      " to " + id +
                      (request.full ? "" : "; detail full has the chart and the script"),
                  std::move(body), {});
}

}  // namespace ws
