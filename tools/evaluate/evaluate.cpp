#include "tools/evaluate/evaluate.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/numbers.h"
#include "runtime/evaluate/prepared.h"
#include "tools/answer/subject_form.h"
#include "tools/evaluate/evaluate_schema.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/record.h"
#include "tools/kernels/kernel_choice.h"

namespace ws {
namespace {

constexpr StageSpan kCompileSpan{0, 0.2};
constexpr StageSpan kValidateSpan{0.2, 0.6};
constexpr StageSpan kBenchmarkSpan{0.6, 1};
constexpr const char* kKind = "evaluate";

std::size_t gpus_of(const Services& services) {
  return static_cast<std::size_t>(
      std::count_if(services.devices.begin(), services.devices.end(),
                    [](const Device& device) { return !device.id.starts_with("cpu:"); }));
}

/// The memory that a kernel takes of the device beside its buffers: its variables, and the local
/// memory of as many threads as run at a time.
std::uint64_t bytes_of_code(const Image& image, const DeviceInfo& info) {
  constexpr std::uint64_t kThreadsOfSm = 2048;
  std::uint64_t bytes = 0;
  for (const ImageSymbol& symbol : image.symbols) {
    bytes += symbol.bytes;
  }
  std::int64_t local = 0;
  for (const CompiledEntry& entry : image.entries) {
    local = std::max(local, entry.local_bytes);
  }
  return bytes + static_cast<std::uint64_t>(local) * static_cast<std::uint64_t>(info.sm_count) *
                     kThreadsOfSm;
}

/// Whether kGpuSharers such kernels have room on the device at a time: each takes less than this
/// part of what buffers may take. Workloads that validation adds are of the same size.
constexpr std::uint64_t kShareOfMemory = 16;
/// Eight contexts take up to 4 GiB, and what flushes the cache for six of them 0.8.
constexpr std::uint64_t kLeastToShare = std::uint64_t{8} << 30U;

Result<bool> is_small(Device& device, const Subject& subject, const Json& params,
                      const std::stop_token& stop) {
  WS_TRY(const DeviceInfo info, device.backend->info());
  if (info.memory_bytes < kLeastToShare) {
    return false;
  }
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", params}}));
  WS_TRY(const Workload any, compile_workload(subject, point));
  WS_TRY(const Compiled compiled, compile_for(*device.backend, subject.problem, subject.kernel, any,
                                              point, {.build = Build::kFast}, stop));
  const std::uint64_t code = compiled.ok() ? bytes_of_code(compiled.image(), info) : 0;
  WS_TRY(const std::vector<Workload> listed, expand_workloads(subject.problem));
  WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, listed, point));
  std::uint64_t most = 0;
  for (const Workload& workload : coverage.run) {
    WS_TRY(const ResolvedPlan plan, resolve_plan(subject.problem, subject.kernel, workload, point));
    std::uint64_t bytes = code;
    for (const BufferSpec& buffer : plan.buffers) {
      bytes += buffer.bytes();
    }
    most = std::max(most, bytes);
  }
  return most < info.limits.max_buffer_bytes / kShareOfMemory;
}

/// The build with bounds checks, which validation runs, so that it need not be compiled where
/// everybody waits for the device. What is wrong with it is validate's to say.
Status compile_checked(Device& device, const Subject& subject, const Json& params,
                       const std::stop_token& stop) {
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", params}}));
  WS_TRY(const Workload workload, compile_workload(subject, point));
  WS_TRY([[maybe_unused]] const Compiled compiled,
         compile_for(*device.backend, subject.problem, subject.kernel, workload, point,
                     {.build = Build::kBounds}, stop));
  return {};
}

}  // namespace

struct EvaluateTool::Question {
  Subject subject;
  Device* device = nullptr;
  Json params = Json::object();
  std::string baseline;
  std::string level;
  double offset = kRewardOffset;
  std::string withheld;  ///< Why there is no reward for a speed-up; may be empty.
  CommonParams common;

  /// Equal keys are the same question.
  [[nodiscard]] std::string key(const std::string& on) const {
    return Json{{"kernel", subject.kernel.id},
                {"device", on},
                {"params", params},
                {"level", level},
                {"baseline", baseline},
                {"offset", offset},
                {"paid_by", "lower end"},
                {"withheld", withheld}}
        .dump();
  }
};

EvaluateTool::EvaluateTool(Services& services)
    : spec_(parse_spec(evaluate_schema())),
      services_(services),
      on_device_(kGpuSharers * std::max<std::size_t>(1, gpus_of(services))) {}

Result<std::optional<Evaluation>> EvaluateTool::answered_before(const Question& question) {
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(const auto row, services_.archive->latest_evidence(question.subject.kernel.id, info.key(),
                                                            kKind, question.key(info.key())));
  if (!row) {
    return std::optional<Evaluation>();
  }
  WS_TRY(const auto since,
         known_validation(services_, *question.device, question.subject, question.params));
  if (facts_of(row->verdict).right_when_timed && since && since->verdict != Verdict::kPassed) {
    return std::optional<Evaluation>();  // Found wrong since then.
  }
  const Json record = Json::parse(row->json, nullptr, false);
  Evaluation known = record.at("output").get<Evaluation>();
  known.evidence_id = row->id;
  known.age_s = (unix_ms() - row->created_ms) / 1000;
  return std::optional(std::move(known));
}

Result<Evaluation> EvaluateTool::conclude(const Question& question, Evaluation evaluation) {
  const bool correct = evaluation.correct();
  double low = 1;  // A kernel that equals its baseline within noise gets the same reward.
  if (correct && evaluation.benchmark && evaluation.benchmark->result.ratio) {
    evaluation.speedup = rounded(evaluation.benchmark->result.ratio->value);
    low = rounded(evaluation.benchmark->result.ratio->ci.low);
  }
  const bool weak = evaluation.validation && !evaluation.validation->weak_problem.empty();
  if (!correct) {
    evaluation.reward = 0.0;
  } else if (weak) {
    evaluation.withheld =
        "the problem is weak: " + evaluation.validation->weak_problem.front();
  } else if (question.withheld.empty()) {
    evaluation.reward = rounded(reward(paid_speedup(evaluation.verdict, low), question.offset));
  } else {
    evaluation.withheld = question.withheld;
  }
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(
      evaluation.evidence_id,
      record_evidence(*services_.archive,
                      {.subject = question.subject,
                       .device = info,
                       .kind = kKind,
                       .key = question.key(info.key())},
                      evaluation.verdict, {{"output", evaluation}, {"device", device_form(info)}}));
  return evaluation;
}

Result<Evaluation> EvaluateTool::run(const Question& question, CallContext& context) {
  const Subject& subject = question.subject;
  Evaluation evaluation;
  evaluation.problem_id = subject.problem.id;
  evaluation.kernel_id = subject.kernel.id;
  evaluation.parent = subject.kernel.parent;
  evaluation.baseline = question.baseline;
  CompileParams compiled;
  compiled.common.device = question.device->id;
  compiled.common.fresh = question.common.fresh;
  compiled.choice = {{"kernel_id", subject.kernel.id}};
  compiled.params = question.params;
  WS_TRY(evaluation.compile, compile_kernel(services_, compiled, kCompileSpan, context));
  evaluation.verdict = evaluation.compile.verdict;
  evaluation.emulated = evaluation.compile.emulated;
  if (evaluation.verdict != Verdict::kCompiled) {
    return conclude(question, std::move(evaluation));
  }
  if (!question.common.fresh) {
    WS_CHECK(compile_checked(*question.device, subject, question.params, context.stop));
  }
  FairSemaphore::Place place;
  if (context.caller.background) {
    WS_TRY(context.shares, is_small(*question.device, subject, question.params, context.stop));
    WS_TRY(place, on_device_.enter(context.stop));
  }
  ValidateParams validated;
  // Where the call names no device, any that is like it may say whether the kernel is right.
  validated.common.device = question.common.device.empty() ? "" : question.device->id;
  validated.common.fresh = question.common.fresh;
  validated.kernel_id = subject.kernel.id;
  validated.question.level = question.level;
  validated.question.params = question.params;
  WS_TRY(evaluation.validation,
         validate_kernel_stored(services_, validated, kValidateSpan, context));
  evaluation.verdict = evaluation.validation->result.verdict;
  if (evaluation.verdict != Verdict::kPassed) {
    return conclude(question, std::move(evaluation));
  }
  BenchmarkParams timed;
  timed.common.device = question.device->id;
  timed.common.fresh = question.common.fresh;
  timed.kernel_id = subject.kernel.id;
  timed.baseline = question.baseline;
  timed.params = question.params;
  WS_TRY(evaluation.benchmark, benchmark_kernel(services_, timed, kBenchmarkSpan, context));
  evaluation.verdict = evaluation.benchmark->result.verdict;
  return conclude(question, std::move(evaluation));
}

Result<EvaluateTool::Question> EvaluateTool::question_of(const EvaluateParams& params,
                                                         const std::stop_token& stop) {
  Question question;
  question.common = params.common;
  question.params = params.params;
  question.level = params.level;
  question.offset = params.reward_offset;
  if (params.baseline == "none") {
    return fail(ErrorCode::kInvalidArgument, "`baseline`: a reward needs one; `none` has no speed",
                "use `reference`, `parent`, `root`, or a kernel id or ref");
  }
  WS_TRY(question.device, services_.device(question.common.device));
  WS_TRY(question.subject, choose_kernel(services_, *params.common.asked, stop));
  // A program cannot be timed on the device.
  const bool timed = question.subject.problem.reference_source.empty();
  question.baseline = params.baseline.value_or(timed ? "reference" : "root");
  if (question.baseline.find('@') != std::string::npos) {  // A name that may move.
    WS_TRY(question.baseline, services_.archive->ref(question.baseline));
  }
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  question.withheld = reward_withheld({.emulated = info.emulated,
                                       .device_named = !question.common.device.empty(),
                                       .own_baseline = question.baseline != "reference"});
  return question;
}

Result<ToolJob<Evaluation>> EvaluateTool::job_of(const EvaluateParams& params,
                                                 const std::stop_token& stop) {
  ToolJob<Evaluation> job;
  job.start = {.lanes = {kEvaluateLane},
               .tool = spec_.name,
               .key = join_key(*params.common.asked),
               .common = params.common};
  if (choice_takes_time(services_, *params.common.asked)) {
    job.work = [this, params](CallContext& own) -> Result<Evaluation> {
      WS_TRY(const Question question, question_of(params, own.stop));
      return run(question, own);
    };
    return job;
  }
  WS_TRY(const Question question, question_of(params, stop));
  if (!question.common.fresh) {
    WS_TRY(job.known, answered_before(question));
  }
  job.start.key = question.key(question.device->id);
  job.work = [this, question](CallContext& own) { return run(question, own); };
  return job;
}

Result<ToolJob<BatchEvaluation>> EvaluateTool::batch_of(const EvaluateParams& params) {
  for (const char* field : {"kernel", "kernel_id", "base", "edits", "set"}) {
    if (params.common.asked->contains(field)) {
      return fail(ErrorCode::kInvalidArgument,
                  "give only one of `kernels` and `" + std::string(field) + "`");
    }
  }
  ToolJob<BatchEvaluation> job;
  job.start = {.lanes = {kBatchLane},
               .tool = spec_.name,
               .key = join_key(*params.common.asked),
               .common = params.common};
  job.work = [this, params](CallContext& own) -> Result<BatchEvaluation> {
    const EvaluateOne whole = [this](const EvaluateParams& asked, const CallContext& inner) {
      return guarded([&]() -> Result<Evaluation> {
        WS_TRY(ToolJob<Evaluation> one, job_of(asked, inner.stop));
        return result_of_job(services_, std::move(one), {}, inner);
      });
    };
    WS_TRY(std::vector<BatchRow> rows, evaluate_all(*params.kernels, kEvaluations, whole, own));
    return BatchEvaluation{.rows = std::move(rows), .full = params.common.full};
  };
  return job;
}

Result<Json> EvaluateTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const auto params = arguments.get<EvaluateParams>();
    if (params.kernels) {
      WS_TRY(ToolJob<BatchEvaluation> job, batch_of(params));
      return answer_by_job(services_, std::move(job), context);
    }
    WS_TRY(ToolJob<Evaluation> job, job_of(params, context.stop));
    return answer_by_job(services_, std::move(job), context);
  });
}

}  // namespace ws
