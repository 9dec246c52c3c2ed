// A try at a lowering, from edits to a verdict.
#include <utility>

#include "runtime/base/audit.h"
#include "runtime/kernel/form/edits.h"
#include "runtime/kernel/plan/params.h"
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
    return made_.applied() ? judge() : Status();
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
    WS_CHECK(services_.archive->put_kernel({.id = made_.kernel_id,
                                            .name = edited_.kernel.name,
                                            .problem_id = step_.problem.id,
                                            .parent = base.id,
                                            .json = edited_.kernel.json,
                                            .created_at = {}}));
    audit_stored(StoredKind::kKernel, made_.kernel_id);
    return {};
  }

  /// The device, and whether what is known counts.
  [[nodiscard]] CommonParams common() const {
    CommonParams common;
    common.device = step_.device->id;
    common.fresh = fresh_;
    return common;
  }

  /// @param arch  Empty: the device's.
  Result<Compilation> compiled_for(const std::string& arch) {
    CompileParams asked;
    asked.common = common();
    asked.arch = arch;
    asked.choice = {{"kernel_id", made_.kernel_id}};
    return compile_kernel(services_, asked, kLoweredCompileSpan, context_);
  }

  Status compile() {
    WS_TRY(made_.compilation, compiled_for(step_.arch));
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
      return end(Verdict::kNotLifted,
                 "the edited kernel is not lifted completely: " + why_not_whole(program));
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
    program_ = program.ir;
    WS_TRY(const std::string why, lift::disorder(step_.lowering.target, program.ir));
    return why.empty() ? Status() : end(Verdict::kOtherOrder, why);
  }

  /// On the device, or where it does not run the kernel, by the program that it lifts to.
  Status judge() {
    if (!step_.arch.empty()) {
      WS_TRY(const Compilation here, compiled_for(""));
      if (here.verdict != Verdict::kCompiled) {
        return verify();
      }
    }
    return validate();
  }

  /// With the defaults, and with some other parameters: an edit may hold for the defaults alone.
  Status verify() {
    made_.unchecked = true;
    WS_CHECK(verify_at("", program_));
    WS_TRY(const std::vector<Params> points, other_points());
    for (const Params& params : points) {
      if (made_.verdict != Verdict::kPassed) {
        break;
      }
      const std::string at = "with " + point_text(params, edited_.kernel.defaults) + ": ";
      context_.report(kLoweredValidateSpan.from, at + "running the program");
      LiftChoice choice;
      choice.params = params;
      WS_TRY(const Lifting again, lift_kernel(services_, edited_, choice, context_.stop));
      WS_CHECK(again.program.whole()
                   ? verify_at(at, again.program.ir)
                   : end(Verdict::kNotLifted, at + "the edited kernel is not lifted completely: " +
                                                  why_not_whole(again.program)));
    }
    return {};
  }

  Result<std::vector<Params>> other_points() {
    const Kernel& kernel = edited_.kernel;
    if (kernel.params.empty()) {
      return std::vector<Params>();
    }
    WS_TRY(const Workload workload, compile_workload(edited_, kernel.defaults));
    return sample_points(edited_.problem, kernel, {workload}, kLoweringSamples, random_seed());
  }

  /// @param at  "with TILE = 32: "; empty for the defaults.
  Status verify_at(const std::string& at, const std::string& program) {
    VerifyRequest request;
    request.ir = program;
    request.problem = step_.problem;
    request.seed = random_seed();
    WS_TRY(Verification verification, verify_program(services_, *step_.device, request, context_));
    if (verification.ok() || verification.end == ProgramEnd::kVerdict) {
      WS_CHECK(end(verification.verdict, (verification.ok() ? "" : at) + verification.message));
    } else {  // Its kind is a verdict of verify_ir alone.
      WS_CHECK(end(Verdict::kRuntimeError, at + verification.word() + ": " + verification.message));
    }
    if (at.empty() || !verification.ok()) {
      made_.verified = VerifiedProgram{std::move(request), std::move(verification)};
    }
    return {};
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
  std::string program_;  ///< The one that the edited kernel lifts to.
  Try made_;
};

}  // namespace

Result<Try> attempt_lowering(Services& services, const LowerStep& step, const Change& change,
                             bool fresh, CallContext& context) {
  return Attempt(services, step, fresh, context).run(change);
}

}  // namespace ws
