#include "tools/evaluate/evaluate.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/evaluate/prepared.h"
#include "tools/answer/envelope.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/stage.h"
#include "tools/answer/subject_form.h"
#include "tools/evaluate/batch.h"
#include "tools/evaluate/evaluate_schema.h"
#include "tools/evaluate/reward.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/stored_validation.h"
#include "tools/kernels/kernel_choice.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

constexpr StageSpan kCompileSpan{0, 0.2};
constexpr StageSpan kValidateSpan{0.2, 0.6};
constexpr StageSpan kBenchmarkSpan{0.6, 1};
constexpr const char* kKind = "evaluate";

std::vector<Json> steps_after(const Json& body) {
  const std::string id = body["kernel_id"];
  if (is_valid(body["verdict"].get<std::string>())) {
    return {edit_step("evaluate", id, "try the next change")};
  }
  if (body["verdict"] == name_of(Verdict::kSuspect)) {
    return {next_step("validate", {{"kernel_id", id}, {"level", "standard"}, {"fresh", true}},
                      "find out when its results are wrong")};
  }
  const char* last = body.contains("benchmark")    ? "benchmark"
                     : body.contains("validation") ? "validation"
                                                   : "compile";
  return {edit_step("evaluate", id, "mend what " + std::string(last) + " names")};
}

std::string summary_of(const Json& body) {
  const std::string id = body["kernel_id"];
  std::string text = id + ": " + body["verdict"].get<std::string>();
  if (body["speedup"].is_number()) {
    text += ", " + body["speedup"].dump() + "x against " + body["baseline"].get<std::string>();
  }
  return text + ", " + reward_text(body["reward"]);
}

std::size_t gpus_of(const Services& services) {
  return static_cast<std::size_t>(
      std::count_if(services.devices.begin(), services.devices.end(),
                    [](const Device& device) { return !device.id.starts_with("cpu:"); }));
}

/// What a kernel takes of the device beside its buffers: its variables, and the local memory of as
/// many threads as run at a time.
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

/// The whole answer. @param age_ms  Of the evidence.
Json told(Json body, const std::string& evidence, std::int64_t age_ms) {
  body["evidence_id"] = evidence;
  body["age_s"] = age_ms / 1000;
  const std::string summary = summary_of(body);
  std::vector<Json> steps = steps_after(body);
  return finished(summary, std::move(body), std::move(steps));
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

EvaluateTool::EvaluateTool(Services& services, Stages stages)
    : spec_(parse_spec(evaluate_schema())),
      services_(services),
      stages_(stages),
      on_device_(kGpuSharers * std::max<std::size_t>(1, gpus_of(services))) {}

Result<std::optional<Json>> EvaluateTool::answered_before(const Question& question) {
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(const auto row, services_.archive->latest_evidence(question.subject.kernel.id, info.key(),
                                                            kKind, question.key(info.key())));
  if (!row) {
    return std::optional<Json>();
  }
  WS_TRY(const auto since,
         known_validation(services_, *question.device, question.subject, question.params));
  if (is_valid(row->verdict) && since && verdict_of(since->verdict) != Verdict::kPassed) {
    return std::optional<Json>();  // Found wrong since then.
  }
  Json body = Json::parse(row->json, nullptr, false).value("output", Json::object());
  return std::optional<Json>(told(std::move(body), row->id, unix_ms() - row->created_ms));
}

Result<Json> EvaluateTool::conclude(const Question& question, Json body) {
  const std::string verdict = body["verdict"];
  const bool valid = is_valid(verdict);
  body["correct"] = valid;
  const Json times = body.value("benchmark", Json::object());
  body["speedup"] = valid ? times.value("ratio", Json(nullptr)) : Json(nullptr);
  if (!valid) {
    body["reward"] = 0.0;
  } else if (!question.withheld.empty()) {
    body["reward"] = nullptr;
    body["reward_withheld"] = question.withheld;
  } else {
    const Json interval = times.value("ratio_ci", Json::array({1.0, 1.0}));
    body["reward"] =
        rounded(reward(paid_speedup(*verdict_of(verdict), interval[0]), question.offset));
  }
  body["links"] = kernel_links(question.subject.kernel.id);
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  const Json record = {{"output", body}, {"at", timestamp_now()}, {"device", device_form(info)}};
  WS_TRY(const std::string evidence,
         services_.archive->add_evidence(
             {.id = {},
              .kernel_id = question.subject.kernel.id,
              .problem_id = question.subject.problem.id,
              .device = info.key(),
              .kind = kKind,
              .key = question.key(info.key()),
              .verdict = verdict,
              .json = record.dump(-1, ' ', false, Json::error_handler_t::replace),
              .created_at = {}}));
  return told(std::move(body), evidence, 0);
}

Result<Json> EvaluateTool::run(const Question& question, CallContext& context) {
  const Subject& subject = question.subject;
  const Json shared = {{"kernel_id", subject.kernel.id},
                       {"device", question.device->id},
                       {"params", question.params},
                       {"fresh", question.common.fresh}};
  Json body = {{"problem_id", subject.problem.id},
               {"kernel_id", subject.kernel.id},
               {"baseline", question.baseline}};
  if (!subject.kernel.parent.empty()) {
    body["parent"] = subject.kernel.parent;
  }
  WS_TRY(Json compiled, run_stage(services_, stages_.compile, shared, kCompileSpan, context));
  body["verdict"] = compiled["verdict"];
  body["emulated"] = compiled["emulated"];
  body["compile"] = stage_part(std::move(compiled));
  if (body["verdict"] != name_of(Verdict::kCompiled)) {
    return conclude(question, std::move(body));
  }
  if (!question.common.fresh) {
    WS_CHECK(compile_checked(*question.device, subject, question.params, context.stop));
  }
  FairSemaphore::Place place;
  if (context.caller.background) {
    WS_TRY(context.shares, is_small(*question.device, subject, question.params, context.stop));
    WS_TRY(place, on_device_.enter(context.stop));
  }
  Json asked = shared;
  asked["level"] = question.level;
  if (question.common.device.empty()) {
    asked.erase("device");  // Any that is like it may say whether the kernel is right.
  }
  WS_TRY(Json validation, run_stage(services_, stages_.validate, asked, kValidateSpan, context));
  body["verdict"] = validation["verdict"];
  body["validation"] = stage_part(std::move(validation));
  if (body["verdict"] != name_of(Verdict::kPassed)) {
    return conclude(question, std::move(body));
  }
  asked = shared;
  asked["baseline"] = question.baseline;
  WS_TRY(Json times, run_stage(services_, stages_.benchmark, asked, kBenchmarkSpan, context));
  body["verdict"] = times["verdict"];
  body["benchmark"] = stage_part(std::move(times));
  return conclude(question, std::move(body));
}

Result<EvaluateTool::Question> EvaluateTool::question_of(const Json& arguments,
                                                         const std::stop_token& stop) {
  Question question;
  question.common = common_params(arguments);
  question.params = arguments.value("params", Json::object());
  question.level = arguments.value("level", "quick");
  question.offset = arguments.value("reward_offset", kRewardOffset);
  if (arguments.value("baseline", "") == "none") {
    return fail(ErrorCode::kInvalidArgument, "`baseline`: a reward needs one; `none` has no speed",
                "use `reference`, `parent`, `root`, or a kernel id or ref");
  }
  WS_TRY(question.device, services_.device(question.common.device));
  WS_TRY(question.subject, choose_kernel(services_, arguments, stop));
  // A program cannot be timed on the device.
  const bool timed = question.subject.problem.reference_source.empty();
  question.baseline = arguments.value("baseline", timed ? "reference" : "root");
  if (question.baseline.find('@') != std::string::npos) {  // A name that may move.
    WS_TRY(question.baseline, services_.archive->ref(question.baseline));
  }
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  question.withheld = reward_withheld({.emulated = info.emulated,
                                       .device_named = !question.common.device.empty(),
                                       .own_baseline = question.baseline != "reference"});
  return question;
}

Result<Json> EvaluateTool::one(const Json& arguments, CallContext& context) {
  if (choice_takes_time(services_, arguments)) {
    Json asked = arguments;
    asked.erase("wait_ms");
    return run_as_job(services_, kEvaluateLane, spec_.name, asked.dump(), common_params(arguments),
                      context, [this, asked](CallContext& own) -> Result<Json> {
                        WS_TRY(const Question question, question_of(asked, own.stop));
                        return run(question, own);
                      });
  }
  WS_TRY(const Question question, question_of(arguments, context.stop));
  if (!question.common.fresh) {
    WS_TRY(std::optional<Json> known, answered_before(question));
    if (known) {
      return *std::move(known);
    }
  }
  const std::string key = question.key(question.device->id);
  return run_as_job(services_, kEvaluateLane, spec_.name, key, question.common, context,
                    [this, question](CallContext& own) { return run(question, own); });
}

Result<Json> EvaluateTool::many(const Json& arguments, CallContext& context) {
  for (const char* field : {"kernel", "kernel_id", "base", "edits", "set"}) {
    if (arguments.contains(field)) {
      return fail(ErrorCode::kInvalidArgument,
                  "give only one of `kernels` and `" + std::string(field) + "`");
    }
  }
  Json shared = arguments;
  shared.erase("kernels");
  shared.erase("detail");
  std::vector<Json> each;
  for (const Json& kernel : arguments["kernels"]) {
    each.push_back(shared);
    each.back()["kernel"] = kernel;
  }
  const CommonParams common = common_params(arguments);
  Json key = arguments;
  key.erase("wait_ms");
  return run_as_job(services_, kBatchLane, spec_.name, key.dump(), common, context,
                    [this, each, common](CallContext& own) -> Result<Json> {
                      const EvaluateOne whole = [this](const Json& asked, CallContext& inner) {
                        return run_stage(services_, *this, asked, {}, inner);
                      };
                      WS_TRY(const std::vector<Json> rows,
                             evaluate_all(each, kEvaluations, whole, own));
                      return batch_answer(rows, common.full);
                    });
}

Result<Json> EvaluateTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    return arguments.contains("kernels") ? many(arguments, context) : one(arguments, context);
  });
}

}  // namespace ws
