#include "tools/lift_to_ir/lift_to_ir.h"

#include <algorithm>

#include "runtime/ir/diff/operations.h"
#include "runtime/lift/orchestration/filled.h"
#include "tools/answer/envelope.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/kernels/lifting.h"
#include "tools/lift_to_ir/lift_to_ir_schema.h"
#include "tools/typed_tool.h"

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

Json not_compiled(const std::string& kernel_id, const Lifting& lifting) {
  const Json body = {{"verdict", "failed"},
                     {"not_lifted", {{{"from", 0}, {"to", 0}, {"why", quoted(lifting.message)}}}},
                     {"diagnostics", diagnostic_rows(lifting)}};
  return finished("failed: the source does not compile: " + quoted(lifting.message), body,
                  {edit_step("compile_kernel", kernel_id, "mend the source")});
}

std::string compare_text(const std::string& program, const std::string& kernel_id) {
  return "compare what it computes with what the kernel does: send verify_ir " + program +
         " as `ir`, and `kernel_id` " + kernel_id;
}

Json report(const std::string& kernel_id, const Lifting& lifting, bool full) {
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
  if (program.ir.empty()) {
    return finished(summary, std::move(body),
                    {read_step(base + "annotated",
                               "write the program yourself, from the annotated source, and send it "
                               "to verify_ir as `ir`, with `kernel_id` " +
                                   kernel_id)});
  }
  return finished(summary, std::move(body),
                  {read_step(base + "ir", compare_text("the program", kernel_id))});
}

/// What became of a program that the client filled.
Result<Json> filled_report(const std::string& kernel_id, const Lifting& lifting,
                           const std::string& ir) {
  WS_TRY(const std::vector<std::string> empty, lift::check_filled(lifting.program.ir, ir));
  const Json body = {{"verdict", empty.empty() ? "lifted" : "partial"}, {"holes", empty}};
  const std::string rest = std::to_string(empty.size()) + " holes are still empty";
  return finished(empty.empty() ? "lifted: every hole is filled, and nothing else was changed"
                                : "partial: " + rest,
                  body, {advice(compare_text("your program", kernel_id))});
}

Result<LiftChoice> choice_of(const Subject& subject, const Json& arguments) {
  LiftChoice choice;
  WS_TRY(choice.params, requested_params(subject.kernel, arguments));
  choice.launch = arguments.value("launch", std::size_t{0});
  if (arguments.contains("workload")) {
    WS_TRY(choice.workload, workload_from_json(arguments["workload"], subject.problem, "workload"));
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

LiftToIrTool::LiftToIrTool(Services& services)
    : spec_(parse_spec(lift_to_ir_schema())),
      services_(services) {}

Result<Json> LiftToIrTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    // The program is the same for every device, but a device that is not there is a mistake.
    if (const Result<Device*> device = services_.device(common.device); !device) {
      return fail(device.error());
    }
    WS_TRY(const Subject subject, load_subject(*services_.archive, arguments.at("kernel_id")));
    WS_TRY(LiftChoice choice, choice_of(subject, arguments));
    choice.fresh = common.fresh;
    const std::string filled = arguments.value("ir", "");
    return run_as_job(
        services_, kCompileLane, spec_.name, join_key(arguments), common, context,
        [this, subject, choice, common, filled](CallContext& own) -> Result<Json> {
          WS_TRY(const Lifting lifting, lift_kernel(services_, subject, choice, own.stop));
          const std::string& id = subject.kernel.id;
          WS_CHECK(
              remember_operations(*services_.archive, subject.kernel, choice, lifting.program));
          if (!filled.empty() && !lifting.program.ir.empty()) {
            return filled_report(id, lifting, filled);
          }
          return lifting.verdict == CompileVerdict::kCompiled ? report(id, lifting, common.full)
                                                              : not_compiled(id, lifting);
        });
  });
}

}  // namespace ws
