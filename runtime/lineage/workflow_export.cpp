#include "runtime/lineage/workflow_export.h"

#include <algorithm>

#include "runtime/evaluate/subject.h"
#include "runtime/kernel/form/edits.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/kernel/ids.h"
#include "runtime/lineage/kernel_changes.h"

namespace ws {
namespace {

constexpr std::size_t kMaxEdits = 200;  // The limit of one call, as the tools' schemas say.

std::string text_field(const Json& form, const char* field) {
  return form.value(field, "");
}

/// One edit of all lines, where the fewest are too many for one call.
Json whole_edit(const std::string& before, const std::string& after, const char* region) {
  const std::vector<std::string> lines = split_lines(before);
  return {{{"region", region},
           {"op", "replace"},
           {"from", 1},
           {"to", lines.size()},
           {"old", join_lines(lines, 1, lines.size())},
           {"text", after}}};
}

Json edits_between(const Json& before, const Json& after) {
  Json edits = Json::array();
  for (const char* region : {"macros", "source"}) {
    const std::string from = text_field(before, region);
    const std::string to = text_field(after, region);
    Json own = line_edits(from, to, region);
    if (own.size() > kMaxEdits / 2) {
      own = whole_edit(from, to, region);
    }
    edits.insert(edits.end(), own.begin(), own.end());
  }
  return edits;
}

/// The pass that made the kernel of its parent; null: it was edited by hand.
const PassTry* made_by_pass(const LineKernel& kernel) {
  const auto made = std::find_if(kernel.passes.begin(), kernel.passes.end(), [&](const auto& row) {
    return row.verdict == Verdict::kPassed && row.base_id == kernel.row.parent;
  });
  return made == kernel.passes.end() ? nullptr : &*made;
}

/// Leaves out what a pass may not be sent: its helper files come by themselves, and so does all of
/// the plan where the plan is not its region.
void leave_out_own(const PassTry& made, const SkillLibrary& skills, Json& set) {
  set.erase("headers");
  const auto known = skills.transformations.find(made.transformation);
  const auto pass = static_cast<std::size_t>(made.pass - 1);
  if (known == skills.transformations.end() || pass >= known->second.passes.size()) {
    return;
  }
  const std::vector<std::string>& regions = known->second.passes[pass].regions;
  if (std::find(regions.begin(), regions.end(), "plan") == regions.end()) {
    set = Json::object();
  }
}

/// A lowered kernel is one of another problem, whose reference is the target.
Status note_target(const Problem& problem, Json& from, Json& to, WorkflowStep& step) {
  if (problem.reference_kind != "cuir") {
    return fail(ErrorCode::kUnsupported,
                "a kernel was lowered to " + problem.id + ", whose reference is no program",
                "export a kernel of the line before it");
  }
  step.target_ir = problem.reference_source;
  from.erase("problem_id");
  to.erase("problem_id");
  return {};
}

/// The step that makes a kernel of the one before it, tried out.
/// @param problem  Of the kernel that is made.
Result<WorkflowStep> step_between(const Problem& problem, const LineKernel& before,
                                  const LineKernel& after, const SkillLibrary& skills) {
  Json from = Json::parse(before.row.json, nullptr, false);
  Json to = Json::parse(after.row.json, nullptr, false);
  WorkflowStep step;
  if (before.row.problem_id != after.row.problem_id) {
    WS_CHECK(note_target(problem, from, to, step));
  }
  step.edits = edits_between(from, to);
  step.set = plan_changes(from, to);
  WS_TRY(const Kernel base, parse_kernel(from.dump(), problem));
  const Json no_edits;
  const Result<Kernel> made =
      edit_kernel(problem, base, step.edits.empty() ? no_edits : step.edits, step.set);
  if (!made || made->id != after.row.id) {
    return fail(ErrorCode::kUnsupported,
                after.row.id + " is no edit of its parent " + before.row.id,
                "export a kernel of the line before it");
  }
  const PassTry* const pass = made_by_pass(after);
  if (pass != nullptr && step.target_ir.empty()) {
    step.transformation = pass->transformation;
    step.pass = pass->pass;
    leave_out_own(*pass, skills, step.set);
  }
  if (step.set.empty()) {
    step.set = nullptr;
  }
  if (step.edits.empty() && !step.set.is_null()) {
    step.edits = nullptr;
  }
  return step;
}

void add_skipped(const LineKernel& kernel, std::vector<WorkflowStep>& steps) {
  for (const PassTry& done : kernel.passes) {
    if (done.verdict == Verdict::kSkipped) {
      WorkflowStep step;
      step.transformation = done.transformation;
      step.pass = done.pass;
      step.edits = Json::array();
      steps.push_back(std::move(step));
    }
  }
}

}  // namespace

Result<Workflow> workflow_of(Archive& archive, const std::vector<LineKernel>& line,
                             const SkillLibrary& skills) {
  const KernelRow& first = line.front().row;
  WS_TRY(const Problem problem, load_problem(archive, first.problem_id));
  Workflow workflow;
  workflow.name = slug(problem.name, "workflow");
  workflow.title = "from " + first.id + " to " + line.back().row.id;
  workflow.problem = Json::parse(problem.json, nullptr, false);
  workflow.kernel = Json::parse(first.json, nullptr, false);
  workflow.kernel.erase("problem_id");
  add_skipped(line.front(), workflow.steps);
  for (std::size_t i = 1; i < line.size(); ++i) {
    WS_TRY(const Problem own, load_problem(archive, line[i].row.problem_id));
    WS_TRY(WorkflowStep step, step_between(own, line[i - 1], line[i], skills));
    workflow.steps.push_back(std::move(step));
    add_skipped(line[i], workflow.steps);
  }
  return workflow;
}

}  // namespace ws
