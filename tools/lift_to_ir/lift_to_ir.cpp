#include "tools/lift_to_ir/lift_to_ir.h"

#include <algorithm>
#include <utility>

#include "runtime/ir/diff/operations.h"
#include "runtime/lift/orchestration/filled.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/lift_to_ir/lift_to_ir_schema.h"

namespace ws {
namespace {

constexpr std::size_t kRowsShown = 6;
/// Longer programs are read from their resource.
constexpr std::size_t kMaxInline = 2500;

Json lines_of(const lift::Range& range) {
  return {{"from", range.line}, {"to", std::max(range.line, range.end_line)}};
}

Json rows_of(const Lifting& lifting, bool full) {
  Json rows = Json::array();
  for (const lift::Region& region : lifting.regions) {
    if (!full && rows.size() == kRowsShown) {
      break;
    }
    Json row = lines_of(region.range);
    row["id"] = region.id;
    row["ops"] = region.syncs;
    for (const std::string& op : region.ops) {
      row["ops"].push_back(op);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json workers_of(const Lifting& lifting, bool full) {
  Json rows = Json::array();
  for (const lift::Worker& worker : lifting.workers) {
    if (!full && rows.size() == kRowsShown) {
      break;
    }
    Json row = lines_of(worker.range);
    row["threads"] = worker.threads;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json diagnostic_rows(const Lifting& lifting) {
  Json rows = Json::array();
  for (const Diagnostic& diagnostic : lifting.diagnostics) {
    rows.push_back({{"severity", diagnostic.severity},
                    {"message", quoted(diagnostic.message)},
                    {"region", quoted(diagnostic.region)},
                    {"line", diagnostic.line},
                    {"column", diagnostic.column},
                    {"snippet", diagnostic.snippet}});
  }
  return rows;
}

Answer not_compiled(const std::string& kernel_id, const Lifting& lifting) {
  Json body = {{"verdict", "failed"},
               {"not_lifted", {{{"from", 0}, {"to", 0}, {"why", quoted(lifting.message)}}}},
               {"diagnostics", diagnostic_rows(lifting)}};
  return {.summary = "failed: the source does not compile: " + quoted(lifting.message),
          .body = std::move(body),
          .next_steps = {edit_step("compile_kernel", kernel_id, "fix the source")}};
}

std::string compare_text(const std::string& program, const std::string& kernel_id) {
  return "compare what it computes with what the kernel does: send verify_ir " + program +
         " as `ir`, and `kernel_id` " + kernel_id;
}

Json step_after(const std::string& kernel_id, const Lifting& lifting) {
  const std::string base = "kernel://" + kernel_id + "/";
  if (lifting.program.ir.empty()) {
    return read_step(base + "annotated",
                     "write the program yourself, from the annotated source, and send it to "
                     "verify_ir as `ir`, with `kernel_id` " +
                         kernel_id);
  }
  if (!lifting.not_compared.empty()) {
    return advice("read the program in `ir`, which an answer with `detail` `full` has; " +
                  lifting.not_compared);
  }
  return read_step(base + "ir", compare_text("the program", kernel_id));
}

Answer report(const std::string& kernel_id, const Lifting& lifting, bool full) {
  const lift::Program& program = lifting.program;
  Json body;
  body["verdict"] = program.ir.empty() ? "failed" : program.whole() ? "lifted" : "partial";
  body["workers"] = workers_of(lifting, full);
  body["regions"] = rows_of(lifting, full);
  body["regions_total"] = lifting.regions.size();
  body["holes"] = Json::array();
  for (const lift::Hole& hole : program.holes) {
    Json form = lines_of(hole.range);
    form["id"] = hole.id;
    form["inputs"] = hole.inputs;
    form["outputs"] = hole.outputs;
    form["why"] = quoted(hole.why);
    body["holes"].push_back(std::move(form));
  }
  body["not_lifted"] = Json::array();
  for (const lift::NotLifted& row : program.not_lifted) {
    Json form = lines_of(row.range);
    form["why"] = quoted(row.why);
    body["not_lifted"].push_back(std::move(form));
  }
  const std::string base = "kernel://" + kernel_id + "/";
  body["links"] = Json::array({{{"rel", "source"}, {"uri", base + "annotated"}},
                               {{"rel", "report"}, {"uri", base + "regions"}}});
  if (!program.ir.empty() && (full || program.ir.size() <= kMaxInline)) {
    body["ir"] = program.ir;
  }
  if (!program.ir.empty()) {
    body["links"].push_back({{"rel", "ir"}, {"uri", base + "ir"}});
  }
  const std::string first = program.not_lifted.empty()
                                ? ""
                                : ": line " +
                                      std::to_string(program.not_lifted.front().range.line) + ": " +
                                      quoted(program.not_lifted.front().why);
  const std::string summary = body["verdict"].get<std::string>() + first;
  return {
      .summary = summary, .body = std::move(body), .next_steps = {step_after(kernel_id, lifting)}};
}

/// The answer about a program that the client filled.
Answer filled_report(const std::string& kernel_id, const std::vector<std::string>& empty) {
  const std::string rest = std::to_string(empty.size()) + " holes are still empty";
  return {.summary = empty.empty() ? "lifted: every hole is filled, and nothing else was changed"
                                   : "partial: " + rest,
          .body = {{"verdict", empty.empty() ? "lifted" : "partial"}, {"holes", empty}},
          .next_steps = {advice(compare_text("your program", kernel_id))}};
}

Result<LiftChoice> choice_of(const Subject& subject, const LiftToIrParams& params) {
  LiftChoice choice;
  WS_TRY(choice.params, requested_params(subject.kernel, {{"params", params.params}}));
  choice.launch = params.launch;
  choice.fresh = params.common.fresh;
  if (!params.workload.is_null()) {
    WS_TRY(choice.workload, workload_from_json(params.workload, subject.problem, "workload"));
  }
  return choice;
}

/// So that search finds the kernel by what it computes: of a whole program with the parameters'
/// defaults, since others may compute something else.
Status remember_operations(Archive& archive, const Kernel& kernel, const LiftChoice& choice,
                           const lift::Program& program) {
  if (!program.whole() || choice.params != kernel.defaults) {
    return {};
  }
  WS_TRY(const OperationCounts counts, ir::count_operations(program.ir));
  return counts.empty() ? Status() : archive.set_operations(kernel.id, counts);
}

}  // namespace

void from_json(const Json& arguments, LiftToIrParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.params = arguments.value("params", Json::object());
  params.workload = arguments.value("workload", Json());
  params.launch = arguments.value("launch", std::size_t{0});
  params.filled = arguments.value("ir", "");
}

Answer answer_of(const LiftedKernel& lifted) {
  if (lifted.still_empty) {
    return filled_report(lifted.kernel_id, *lifted.still_empty);
  }
  return lifted.lifting.verdict == CompileVerdict::kCompiled
             ? report(lifted.kernel_id, lifted.lifting, lifted.full)
             : not_compiled(lifted.kernel_id, lifted.lifting);
}

LiftToIrTool::LiftToIrTool(Services& services)
    : TypedJobTool(lift_to_ir_schema(), services) {}

Result<ToolJob<LiftedKernel>> LiftToIrTool::job_of(Services& services, const LiftToIrParams& params,
                                                   const std::stop_token& /*stop*/) {
  // The program is the same for every device, but a device that is not there is a mistake.
  if (const Result<Device*> device = services.device(params.common.device); !device) {
    return fail(device.error());
  }
  WS_TRY(const Subject subject, load_subject(*services.archive, params.kernel_id));
  WS_TRY(const LiftChoice choice, choice_of(subject, params));
  ToolJob<LiftedKernel> job;
  job.start = {.lanes = {kCompileLane},
               .tool = spec().name,
               .key = join_key(*params.common.asked),
               .common = params.common};
  job.work = [&services, subject, choice, params](CallContext& own) -> Result<LiftedKernel> {
    LiftedKernel lifted;
    lifted.kernel_id = subject.kernel.id;
    lifted.full = params.common.full;
    WS_TRY(lifted.lifting, lift_kernel(services, subject, choice, own.stop));
    const lift::Program& program = lifted.lifting.program;
    WS_CHECK(remember_operations(*services.archive, subject.kernel, choice, program));
    if (!params.filled.empty() && !program.ir.empty()) {
      WS_TRY(lifted.still_empty, lift::check_filled(program.ir, params.filled));
    }
    return lifted;
  };
  return job;
}

}  // namespace ws
