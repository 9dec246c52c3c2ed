#include "tools/programs/report.h"

#include <algorithm>
#include <cmath>

#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/programs/timeline.h"

namespace ws {
namespace {

constexpr std::size_t kRowsShown = 6;
constexpr std::size_t kEventsShown = 24;
constexpr std::size_t kAllEvents = 64;

Json to_form(const ProgramFinding& row) {
  Json form = {{"kind", row.kind},
               {"line", row.line},
               {"message", quoted(row.message)},
               {"worker", quoted(row.worker)},
               {"block", row.block},
               {"schedule", quoted(row.schedule)}};
  if (row.other_line > 0) {
    form["other_line"] = row.other_line;
  }
  if (!row.object.empty()) {
    form["object"] = quoted(row.object);
  }
  if (!row.fix.empty()) {
    form["fix"] = quoted(row.fix);
  }
  return form;
}

Json to_form(const ProgramDiagnostic& row) {
  Json form = {{"line", row.line},
               {"column", row.column},
               {"message", quoted(row.message)},
               {"snippet", row.snippet}};
  if (!row.hint.empty()) {
    form["hint"] = quoted(row.hint);
  }
  return form;
}

Json to_form(const ProgramWindow& row) {
  return {{"region", row.file.empty() ? "ir" : quoted(row.file)},
          {"from", row.first},
          {"to", row.last}};
}

Json to_form(const std::string& text) {
  return quoted(text);
}

/// The first rows, and how many there are.
template <typename Row>
void add_rows(Json& body, const std::string& name, const std::vector<Row>& rows, bool full) {
  body[name] = Json::array();
  for (std::size_t i = 0; i < (full ? rows.size() : std::min(rows.size(), kRowsShown)); ++i) {
    body[name].push_back(to_form(rows[i]));
  }
  body[name + "_total"] = rows.size();
}

/// NaN and infinities have no JSON form: as words.
Json number(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : Json(value);
}

void add_outputs(Json& body, const OutputCheck& outputs) {
  body["error"] = {{"max_abs", rounded(outputs.max_abs_error)},
                   {"max_rel", rounded(outputs.max_rel_error)}};
  if (!outputs.mismatch) {
    return;
  }
  const Mismatch& mismatch = *outputs.mismatch;
  body["error"]["output"] = mismatch.output;
  body["error"]["index"] = mismatch.worst.index;
  body["error"]["got"] = number(mismatch.worst.got);
  body["error"]["want"] = number(mismatch.worst.want);
  body["mismatch"] = {{"count", mismatch.count},
                      {"share", rounded(mismatch.share)},
                      {"pattern", mismatch.pattern.text},
                      {"pattern_code", mismatch.pattern.code},
                      {"hint", mismatch.pattern.hint}};
}

void add_change(Json& body, const ProgramChange& change, bool full) {
  body["rules"] = change.rules;
  body["orchestration_kept"] = change.orchestration_kept;
  add_rows(body, "breaches", change.breaches, full);
  add_rows(body, "windows", change.windows, full);
}

/// The source of the outputs that the program's were compared with; "" for none.
std::string against(const VerifyRequest& request, const Verification& verification) {
  if (!verification.outputs) {
    return {};
  }
  return request.kernel ? request.kernel->id : request.problem->id;
}

std::string summary_of(const VerifyRequest& request, const Verification& verification) {
  if (!verification.ok()) {
    const bool found = !verification.reply.findings.empty();
    const std::string place =
        found ? " at line " + std::to_string(verification.reply.findings.front().line) : "";
    const bool chosen = verification.workload && !request.workload;
    const std::string where = chosen ? " on " + to_json_text(*verification.workload) : "";
    return verification.word() + place + where + ": " + quoted(verification.message);
  }
  const std::size_t workloads = 1 + verification.others.size();
  const std::string silent =
      "ok: no finding on " + std::to_string(verification.reply.schedules) + " schedules" +
      (workloads > 1 ? " of " + std::to_string(workloads) + " workloads" : "");
  const std::string other = against(request, verification);
  return other.empty() ? silent + "; outputs were not compared"
                       : silent + ", and the outputs of " + other;
}

/// The events before the first finding.
void add_timeline(Json& body, const std::vector<ProgramFinding>& findings, bool full) {
  if (!findings.empty()) {
    Json timeline = timeline_form(findings.front(), full ? kAllEvents : kEventsShown);
    if (!timeline.is_null()) {
      body["timeline"] = std::move(timeline);
    }
  }
}

/// Warns of loops that never made a second round, in which stages and phases would go on.
void add_loops_run_once(Json& body, const Verification& verification) {
  Json rows = Json::array();
  for (const ProgramLoop& loop : verification.loops) {
    if (loop.rounds == 1) {
      rows.push_back(
          {{"kind", "loop_ran_once"},
           {"line", loop.line},
           {"message", "the loop at line " + std::to_string(loop.line) +
                           " made one round at most: give a `workload` on which it makes more"}});
    }
  }
  if (verification.ok() && !rows.empty()) {
    body["warnings"] = std::move(rows);
  }
}

std::vector<Json> steps_after(const VerifyRequest& request, const Verification& verification) {
  if (verification.ok() && !request.problem) {
    return {
        advice("send compile_kernel a problem with a kernel: its id, as `problem_id` here, lets "
               "the outputs be compared")};
  }
  if (verification.ok() && request.is_new_problem) {
    return {
        advice("send the same `problem` with the kernel that does this, or with the program as "
               "`target_ir` to apply_transformation")};
  }
  if (verification.verdict == Verdict::kInvalidReference && request.kernel) {
    return {advice("the kernel gives nothing to compare with here: send `problem_id` " +
                   request.problem->id + " in place of `kernel_id`")};
  }
  if (verification.ok()) {
    return {read_step("problem://" + request.problem->id,
                      "write the kernel that does this: send compile_kernel a `kernel`, and "
                      "`problem_id` " +
                          request.problem->id)};
  }
  return {advice("fix the program and send the same call with it" +
                 (verification.hint.empty() ? "" : ": " + quoted(verification.hint)))};
}

}  // namespace

Answer answer_of(const VerifiedProgram& program) {
  const auto& [request, verification, full] = program;
  Json body = {{"verdict", verification.word()},
               {"mode", request.mode},
               {"schedules", verification.reply.schedules},
               {"seed", request.seed}};
  if (!verification.message.empty()) {
    body["message"] = quoted(verification.message);
  }
  if (!verification.hint.empty()) {
    body["hint"] = quoted(verification.hint);
  }
  if (verification.workload) {
    body["workload"] = to_json(*verification.workload);
  }
  if (verification.shrunk_from) {
    body["shrunk_from"] = to_json(*verification.shrunk_from);
  }
  if (!verification.others.empty()) {
    body["other_workloads"] = Json::array();
    for (const Workload& workload : verification.others) {
      body["other_workloads"].push_back(to_json(workload));
    }
  }
  if (verification.not_judged > 0) {
    body["workloads_too_large"] = verification.not_judged;
  }
  add_loops_run_once(body, verification);
  if (const std::string other = against(request, verification); !other.empty()) {
    body["against"] = other;
  }
  add_rows(body, "findings", verification.reply.findings, full);
  add_timeline(body, verification.reply.findings, full);
  if (!verification.reply.diagnostics.empty()) {
    add_rows(body, "diagnostics", verification.reply.diagnostics, full);
  }
  if (verification.reply.change) {
    add_change(body, *verification.reply.change, full);
  }
  if (verification.outputs) {
    add_outputs(body, *verification.outputs);
  }
  return {.summary = summary_of(request, verification),
          .body = std::move(body),
          .next_steps = steps_after(request, verification)};
}

}  // namespace ws
