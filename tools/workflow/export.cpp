// A report and a script of the line that leads to a kernel.
#include <utility>

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

Result<ExportedLine> export_workflow(Services& services, LineStore& lines,
                                     const WorkflowRequest& request) {
  Archive& archive = *services.archive;
  WS_TRY(const std::vector<LineKernel> line,
         line_of({archive, lines}, request.ref, request.device_key));
  WS_TRY(Workflow workflow, workflow_of(archive, line, current_skills(services.options)));
  ExportedLine told;
  told.kernel_id = line.back().row.id;
  told.first_id = line.front().row.id;
  told.device_id = request.device_id;
  told.steps = workflow.steps.size();
  if (request.full) {
    told.report = whole_report(line, request.device_id);
    told.script = std::move(workflow);
  } else {
    told.report = cut_table(report_table(line, request.device_id));
  }
  return told;
}

Answer answer_of(const ExportedLine& line) {
  const std::string uri = "kernel://" + line.kernel_id;
  Answer answer{.summary = std::to_string(line.steps) + " steps from " + line.first_id + " to " +
                           line.kernel_id +
                           (line.script ? "" : "; detail full has the chart and the script"),
                .body = {{"kernel_id", line.kernel_id},
                         {"device", line.device_id},
                         {"steps", line.steps},
                         {"report", line.report}},
                .next_steps = {}};
  if (line.script) {
    answer.body["script"] = to_json(*line.script);
  }
  answer.body["links"] =
      Json::array({{{"rel", "report"}, {"uri", uri + "/report?device=" + line.device_id}},
                   {{"rel", "script"}, {"uri", uri + "/workflow"}}});
  return answer;
}

}  // namespace ws
