#include "runtime/evaluate/validate/engine_check.h"

#include <algorithm>
#include <array>
#include <future>
#include <thread>
#include <utility>

namespace ws {
namespace {

/// How long the GPU's result waits for the engine.
constexpr std::chrono::seconds kEngineWait{10};

/// Facts about the program, which a GPU hides.
constexpr std::array kCertain = {FindingCode::kOrderDependent, FindingCode::kUnwrittenMemory,
                                 FindingCode::kTimeDependent, FindingCode::kPlaceDependent,
                                 FindingCode::kIndexWraps};

/// Whether no other device can find more.
bool is_certain(const ValidationResult& result) {
  switch (result.verdict) {
    case Verdict::kOutOfBounds:
    case Verdict::kStateful:
    case Verdict::kBarrierDivergence:
    case Verdict::kDataRace:
      return true;
    default:
      return result.finding && std::ranges::find(kCertain, *result.finding) != kCertain.end();
  }
}

Result<ValidationResult> look(Backend& engine, HostWorkers& hosts, const Subject& subject,
                              ValidationRequest request, std::stop_token stop) {
  WS_TRY(const DeviceInfo info, engine.info());
  if (std::ranges::find(info.languages, subject.kernel.language) == info.languages.end()) {
    return fail(ErrorCode::kUnsupported, "it does not run `" + subject.kernel.language + "`");
  }
  request.races = request.level != ValidationLevel::kQuick;
  request.level = ValidationLevel::kQuick;
  request.params.resize(1);
  request.batch.clear();
  CallContext own;
  own.stop = std::move(stop);
  return validate_kernel(engine, hosts, subject, request, own);
}

EngineCheck shown(const Result<ValidationResult>& seen) {
  if (seen) {
    return {seen->verdict, seen->message, seen->runs_total};
  }
  if (seen.error().code == ErrorCode::kCancelled) {
    return {Verdict::kTimeout,
            "it had not finished " + std::to_string(kEngineWait.count()) + " s after the GPU", 0};
  }
  return {Verdict::kUnsupported, seen.error().message, 0};
}

/// Puts the engine's verdict in the place of the GPU's.
void overrule(ValidationResult& result, ValidationResult seen, const std::string& engine) {
  result.verdict = seen.verdict;
  result.message = seen.message + " (found on " + engine + ")";
  result.finding = seen.finding;
  result.fault = std::move(seen.fault);
  result.sanitized = result.sanitized ? result.sanitized : std::move(seen.sanitized);
  result.mismatch = std::move(seen.mismatch);
  RunRecord run = std::move(seen.runs.back());
  run.device = engine;
  result.runs.push_back(std::move(run));
  ++result.runs_total;
}

}  // namespace

Result<ValidationResult> validate_with_engine(Backend& gpu, Backend& engine, HostWorkers& hosts,
                                              const Subject& subject,
                                              const ValidationRequest& request,
                                              const CallContext& context) {
  std::packaged_task<Result<ValidationResult>(std::stop_token)> task(
      [&](std::stop_token stop) { return look(engine, hosts, subject, request, std::move(stop)); });
  std::future<Result<ValidationResult>> seen = task.get_future();
  std::jthread thread(std::move(task));  // Stopped and waited for at the end, whatever happens.
  const std::stop_callback cancelled(context.stop, [&thread] { thread.request_stop(); });

  WS_TRY(ValidationResult result, validate_kernel(gpu, hosts, subject, request, context));
  if (result.verdict != Verdict::kPassed) {
    return result;
  }
  if (seen.wait_for(kEngineWait) == std::future_status::timeout) {
    thread.request_stop();
  }
  Result<ValidationResult> answer = seen.get();
  if (context.stop.stop_requested()) {
    return fail(ErrorCode::kCancelled, "the call was cancelled");
  }
  result.engine = shown(answer);
  result.sparse = answer ? answer->sparse : std::nullopt;
  if (answer && is_certain(*answer) && !answer->runs.empty()) {
    WS_TRY(const DeviceInfo info, engine.info());
    overrule(result, *std::move(answer), info.id);
  }
  return result;
}

}  // namespace ws
