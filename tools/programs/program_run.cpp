#include "tools/programs/program_run.h"

#include "runtime/evaluate/validate/reference.h"
#include "runtime/reference/wire.h"

namespace ws {
namespace {

/// The limit for all schedules together.
constexpr std::chrono::milliseconds kRunLimit{120'000};
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30U;

void end_with(Verdict verdict, Verification& result) {
  result.end = ProgramEnd::kVerdict;
  result.verdict = verdict;
}

void end_with(HostVerdict verdict, Verification& result) {
  switch (verdict) {
    case HostVerdict::kFine:
      break;
    case HostVerdict::kSyntaxError:
      result.end = ProgramEnd::kSyntaxError;
      break;
    case HostVerdict::kCheckError:
      result.end = ProgramEnd::kCheckError;
      break;
    case HostVerdict::kTimeout:
      end_with(Verdict::kTimeout, result);
      break;
    case HostVerdict::kDied:
      // It had no more of something: a program cannot do anything else that kills its process.
      end_with(Verdict::kResourceLimit, result);
      break;
    case HostVerdict::kRuntimeError:
    case HostVerdict::kCrashed:
    case HostVerdict::kNoLibrary:
      end_with(Verdict::kRuntimeError, result);
      break;
  }
}

/// Takes over what the worker said, if that is the verdict already.
bool decided(const HostReply& reply, Verification& result) {
  const std::optional<ProgramChange> change = std::move(result.reply.change);
  result.reply = reply;
  result.reply.change = reply.change ? reply.change : change;  // Only the first answer has it.
  if (!reply.ok()) {
    end_with(reply.verdict, result);
    result.message = reply.message;
    result.hint = reply.hint;
  } else if (!reply.findings.empty()) {
    result.end = ProgramEnd::kFinding;
    result.message = reply.findings.front().message;
    result.hint = reply.findings.front().fix;
  }
  return !result.ok();
}

class ProgramRun {
 public:
  ProgramRun(Services& services, Device& device, const VerifyRequest& request,
             const CallContext& context)
      : services_(services),
        device_(device),
        request_(request),
        context_(context) {}

  Result<Verification> run() {
    WS_TRY(HostJob job, make_job());
    job_ = std::move(job);
    WS_TRY(HostWorkers::Opened opened, services_.host_workers->open(job_, context_.stop));
    session_ = std::move(opened.session);
    if (decided(opened.refusal, result_)) {
      return std::move(result_);
    }
    const bool compares = request_.problem && request_.mode != "race_only";
    if (!compares && request_.problem) {
      WS_CHECK(draw_integers());
    }
    WS_CHECK(compares ? run_and_compare() : run_program());
    return std::move(result_);
  }

 private:
  Result<HostJob> make_job() {
    HostJob job;
    job.source = request_.ir;
    if (request_.problem) {
      result_.workload = request_.workload;
      WS_TRY(job,
             host_job(*request_.problem, *request_.workload, HostLanguage::kCuir, request_.ir));
    }
    job.cuir = {request_.mode, request_.schedules, !request_.problem, request_.seed,
                request_.made_from};
    return job;
  }

  Status run_program() {
    WS_TRY(const HostReply reply, session_->run(kRunLimit, context_.stop));
    decided(reply, result_);
    return {};
  }

  /// Integers may say which tiles a program works on: it gets them also where nothing is compared.
  [[nodiscard]] Status draw_integers() const {
    const auto counts = [](const HostTensor& tensor) {
      return tensor.role != BufferRole::kOut && !is_float(tensor.type);
    };
    if (std::ranges::none_of(job_.tensors, counts)) {
      return {};
    }
    WS_TRY(const ResolvedPlan plan,
           resolve_plan(*request_.problem, Kernel{}, *result_.workload, {}));
    WS_TRY(const std::shared_ptr<Arena> drawn, Arena::create(plan.buffers, kMaxBytes));
    WS_CHECK(
        fill_inputs(*request_.problem, plan, Distribution::kDeclared, request_.seed, 1, *drawn));
    for (std::size_t i = 0; i < job_.tensors.size(); ++i) {
      if (counts(job_.tensors[i])) {
        to_wire(plan.buffers[i], drawn->buffer(i), job_.tensors[i], session_->arena().buffer(i));
      }
    }
    return {};
  }

  Result<OpenedReference> open_expected() {
    return request_.kernel
               ? open_kernel_reference(*device_.backend, *request_.problem, *request_.kernel,
                                       *result_.workload, request_.kernel->defaults, Build::kBounds,
                                       context_.stop)
               : open_reference(*device_.backend, *services_.host_workers, *request_.problem,
                                *result_.workload, context_.stop);
  }

  /// Draws inputs that the expected outputs can be computed from, also for the program.
  /// @return  False when there are none; the result says why.
  Result<bool> draw_inputs() {
    WS_TRY(OpenedReference opened, open_expected());
    expected_ = std::move(opened.reference);
    result_.message = opened.message;
    if (expected_) {
      const DrawRequest how{
          .who = request_.kernel ? "the kernel" : "the problem's reference",
          .secret = request_.seed,
          .run = {.workload = 0, .distribution = Distribution::kDeclared, .seed_index = 0},
          .on_inputs = [this](const Reference& reference) { copy_inputs_of(reference); }};
      WS_TRY(const Drawn drawn, draw(*expected_, *error_model_, how, context_.stop));
      result_.message = drawn.message;
    }
    if (!result_.message.empty()) {
      end_with(Verdict::kInvalidReference, result_);
    }
    return result_.message.empty();
  }

  void copy_inputs_of(const Reference& reference) const {
    for (std::size_t i = 0; i < job_.tensors.size(); ++i) {
      if (job_.tensors[i].role != BufferRole::kOut) {
        to_wire(reference.plan().buffers[i], reference.arena().buffer(i), job_.tensors[i],
                session_->arena().buffer(i));
      }
    }
  }

  Status run_and_compare() {
    WS_TRY(ErrorModel error_model, ErrorModel::of(*request_.problem, *result_.workload));
    error_model_.emplace(std::move(error_model));
    WS_TRY(const bool drawn, draw_inputs());
    if (!drawn) {
      return {};
    }
    WS_CHECK(run_program());
    return result_.ok() ? compare_outputs() : Status();
  }

  Status compare_outputs() {
    WS_TRY(const ResolvedPlan plan,
           resolve_plan(*request_.problem, Kernel{}, *result_.workload, {}));
    WS_TRY(const std::shared_ptr<Arena> got, Arena::create(plan.buffers, kMaxBytes));
    const MemoryGuard guard(plan, *got, request_.seed);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      if (is_output(plan.buffers[i])) {
        from_wire(job_.tensors[i], session_->arena().buffer(i), plan.buffers[i], got->buffer(i));
      }
    }
    result_.outputs =
        error_model_->check(plan, expected_->arena(), *got, guard, Distribution::kDeclared);
    if (result_.outputs->verdict != Verdict::kPassed) {
      end_with(result_.outputs->verdict, result_);
      result_.message = result_.outputs->message;
    }
    return {};
  }

  Services& services_;
  Device& device_;
  const VerifyRequest& request_;
  const CallContext& context_;
  Verification result_;
  HostJob job_;
  std::unique_ptr<HostSession> session_;
  std::unique_ptr<Reference> expected_;
  std::optional<ErrorModel> error_model_;
};

}  // namespace

Result<Verification> run_once(Services& services, Device& device, const VerifyRequest& request,
                              const CallContext& context) {
  return ProgramRun(services, device, request, context).run();
}

}  // namespace ws
