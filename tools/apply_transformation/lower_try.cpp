// A try at a lowering: from edits to a recorded verdict.
#include <algorithm>
#include <utility>

#include "runtime/kernel/form/edits.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/apply_transformation/lower.h"
#include "tools/evidence/validation_job.h"
#include "tools/kernels/compile_job.h"
#include "tools/kernels/stored_id.h"

namespace ws {
namespace {

constexpr std::size_t kLoweringSamples =
    3;  // Points of the parameters' space, beside the defaults.

constexpr StageSpan kLoweredCompileSpan{0.1, 0.3};
constexpr StageSpan kLoweredValidateSpan{0.4, 1};

void refuse_outside_windows(const lift::Lowering& lowering, Change& change) {
  for (std::size_t i = 0; change.edits.is_array() && i < change.edits.size(); ++i) {
    const Json& edit = change.edits[i];
    const Json region = edit.value("region", Json("source"));
    const Json from = edit.value("from", Json());
    const bool inserts = edit.value("op", Json("replace")) == "insert";
    const Json to = edit.value("to", from);
    if (!region.is_string() || !from.is_number_integer() || !to.is_number_integer()) {
      continue;  // edit_kernel's to name.
    }
    const auto first = from.get<std::int64_t>();
    const std::string why =
        lift::outside(lowering, region, first, inserts ? first - 1 : to.get<std::int64_t>());
    if (!why.empty()) {
      change.refuse("edits[" + std::to_string(i) + "]", one_line(why, kReasonBytes));
    }
  }
}

void refuse_plan(const lift::Lowering& lowering, Change& change) {
  const bool open = lowering.arguments || lowering.changes_plan();
  for (const auto& field : change.set.items()) {
    if (!open) {
      change.refuse("set", "the target does not change the plan");
      return;
    }
    if (field.key() != "launches") {
      change.refuse("set." + one_line(field.key(), kShownName), "a lowering may set only launches");
    }
  }
}

Change change_of(const LowerStep& step, const TransformParams& params) {
  Change change;
  change.edits = params.edits;
  if (change.edits.empty()) {
    change.edits = nullptr;  // Other parameters alone may do.
  }
  change.set = params.set.is_null() ? Json::object() : params.set;
  refuse_outside_windows(step.lowering, change);
  refuse_plan(step.lowering, change);
  if (step.other_tiles()) {
    change.set["defaults"] = to_json(step.params);
  }
  if (change.set.empty()) {
    change.set = nullptr;
  }
  return change;
}

class Attempt {
 public:
  Attempt(Services& services, const LowerStep& step, bool fresh, CallContext& context)
      : services_(services),
        step_(step),
        fresh_(fresh),
        context_(context) {}

  /// Stops at the first thing that is not right: verdict and reason say what.
  Result<Try> run(const Change& change) && {
    WS_CHECK(try_stages(change));
    return std::move(made_);
  }

 private:
  Status try_stages(const Change& change) {
    if (!change.refused.empty()) {
      return end(Verdict::kRefused, change.refused[0]["edit"].get<std::string>() + ": " +
                                        change.refused[0]["reason"].get<std::string>());
    }
    WS_CHECK(make(change));
    WS_CHECK(compile());
    if (made_.applied()) {
      WS_CHECK(lift_again());
    }
    return made_.applied() ? validate() : Status();
  }

  Status end(Verdict with, const std::string& why) {
    made_.verdict = with;
    made_.reason = why;
    return {};
  }

  /// The edited kernel, which is one of the target's problem.
  Status make(const Change& change) {
    Kernel base = step_.subject.kernel;
    Json form = Json::parse(base.json, nullptr, false);
    form.erase("problem_id");
    base.json = form.dump();
    WS_TRY(edited_.kernel, edit_kernel(step_.problem, base, change.edits, change.set));
    WS_CHECK(take_stored_id(*services_.archive, edited_.kernel));
    edited_.problem = step_.problem;
    made_.kernel_id = edited_.kernel.id;
    WS_CHECK(services_.archive->put_problem({.id = step_.problem.id,
                                             .name = step_.problem.name,
                                             .json = step_.problem.json,
                                             .created_at = {}}));
    return services_.archive->put_kernel({.id = made_.kernel_id,
                                          .name = edited_.kernel.name,
                                          .problem_id = step_.problem.id,
                                          .parent = base.id,
                                          .json = edited_.kernel.json,
                                          .created_at = {}});
  }

  /// The device, and whether what is known counts.
  [[nodiscard]] CommonParams common() const {
    CommonParams common;
    common.device = step_.device->id;
    common.fresh = fresh_;
    return common;
  }

  Status compile() {
    CompileParams asked;
    asked.common = common();
    asked.choice = {{"kernel_id", made_.kernel_id}};
    WS_TRY(made_.compilation, compile_kernel(services_, asked, kLoweredCompileSpan, context_));
    const Compilation& compilation = *made_.compilation;
    if (compilation.verdict != Verdict::kCompiled) {
      const std::vector<Diagnostic>& diagnostics = compilation.diagnostics;
      WS_CHECK(end(
          compilation.verdict,
          reason_of(compilation, diagnostics.empty() ? std::string()
                                                     : ws::quoted(diagnostics.front().message))));
    }
    return {};
  }

  /// Is what was not to change the same, and the rest in the target's order?
  Status lift_again() {
    context_.report(kLoweredCompileSpan.to, "lifting the edited kernel");
    LiftChoice choice;
    choice.params = edited_.kernel.defaults;
    WS_TRY(const Lifting again, lift_kernel(services_, edited_, choice, context_.stop));
    const lift::Program& program = again.program;
    if (!program.whole()) {
      const std::string why = program.not_lifted.empty()
                                  ? "it has holes"
                                  : "line " +
                                        std::to_string(program.not_lifted.front().range.line) +
                                        ": " + ws::quoted(program.not_lifted.front().why);
      return end(Verdict::kNotLifted, "the edited kernel is not lifted completely: " + why);
    }
    const std::vector<std::string> lost =
        lift::lost_regions(step_.lowering, step_.lifting.tree, step_.lifting.tree.entries.front(),
                           step_.lifting.regions, again.regions);
    if (!lost.empty()) {
      return end(Verdict::kOtherRegion, "a region outside the windows has changed: " + lost[0]);
    }
    if (const std::string sync = lift::other_sync(step_.lifting.regions, again.regions);
        !sync.empty()) {
      return end(Verdict::kOtherSync, "the edited kernel synchronises differently: " + sync);
    }
    WS_TRY(const std::string why, lift::disorder(step_.lowering.target, program.ir));
    return why.empty() ? Status() : end(Verdict::kOtherOrder, why);
  }

  Status validate() {
    ValidateParams asked;
    asked.common = common();
    asked.kernel_id = made_.kernel_id;
    asked.question.param_samples = edited_.kernel.params.empty() ? 0 : kLoweringSamples;
    WS_TRY(made_.validation,
           validate_kernel_stored(services_, asked, kLoweredValidateSpan, context_));
    return end(made_.validation->result.verdict, made_.validation->result.message);
  }

  Services& services_;
  const LowerStep& step_;
  const bool fresh_;
  CallContext& context_;
  Subject edited_;
  Try made_;
};

std::vector<Json> steps_after_lowering(const ConcludedTry& tried) {
  const std::string& id = tried.kernel_id();
  if (!tried.applied()) {
    return {advice("send the same call with corrected edits; they refer to the lines of " + id)};
  }
  return {
      next_step("validate", {{"kernel_id", id}, {"level", "standard"}}, "check it on more inputs"),
      next_step("benchmark", {{"kernel_id", id}, {"baseline", "none"}}, "see how fast it is")};
}

std::string summary_of_lowering(const ConcludedTry& tried) {
  if (tried.applied()) {
    return "lowered: " + tried.kernel_id() + " computes what the target does";
  }
  return std::string(name_of(tried.made.verdict)) + ", attempt " + std::to_string(tried.attempt) +
         ": " + ws::quoted(tried.made.reason, kReasonBytes);
}

}  // namespace

Result<TriedLowering> apply_lowering(Services& services, LowerStep step,
                                     const TransformParams& params, CallContext& context) {
  const Change change = change_of(step, params);
  WS_TRY(Try made, Attempt(services, step, params.common.fresh, context).run(change));
  WS_TRY(ConcludedTry tried,
         conclude(services, step.subject.kernel, change, std::move(made),
                  {.transformation = kLowering, .pass = 1, .passes = 1}, params.ref));
  return TriedLowering{.step = std::move(step), .tried = std::move(tried)};
}

Answer answer_of(const TriedLowering& done) {
  Json body = form_of(done.tried);
  body["rules"] = done.step.lowering.rules;
  if (done.tried.applied()) {
    body["problem_id"] = done.step.problem.id;
  }
  return {.summary = summary_of_lowering(done.tried),
          .body = std::move(body),
          .next_steps = steps_after_lowering(done.tried)};
}

}  // namespace ws
