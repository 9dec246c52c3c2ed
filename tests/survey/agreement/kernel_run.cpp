#include "tests/survey/agreement/kernel_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "runtime/device/bind.h"
#include "runtime/device/fault_report.h"
#include "runtime/device/plan_limits.h"
#include "runtime/device/sanitizer.h"
#include "tests/survey/agreement/contents.h"
#include "tests/survey/agreement/trial.h"

namespace ws::survey {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kArenaLimit = std::uint64_t{1} << 30U;
constexpr milliseconds kLimit{5000};
constexpr int kMostTrials = 3;
/// Fewer changed elements say little.
constexpr std::size_t kLeastChanged = 16;

/// One trial of one kernel.
class Attempt {
 public:
  Attempt(ResolvedPlan plan, const Trial& trial, std::shared_ptr<Arena> arena)
      : plan_(std::move(plan)),
        trial_(trial),
        arena_(std::move(arena)) {}

  /// The buffers after one launch. @errors kInvalidArgument: the launch failed, with the
  /// reason; others: there was none.
  Result<Contents> run(Backend& device, const Image& image, const RunMode& mode = {}) {
    fill(plan_, trial_, *arena_);
    before_ = contents_of(*arena_);
    WS_TRY(RunPlan bound, bind_plan(plan_, image, *arena_));
    bound.owner = "survey";
    bound.batch = "survey";
    WS_TRY(const std::unique_ptr<Session> session, device.open(image, bound, arena_));
    WS_TRY(const RunOutcome outcome, session->run_as(mode, 1, kLimit, {}));
    if (!outcome.ok()) {
      return fail(ErrorCode::kInvalidArgument,
                  describe_fault(outcome, image, plan_, kLimit).message);
    }
    session->mark_verified();
    return contents_of(*arena_);
  }

  /// The races and reads of unwritten memory of one launch.
  Result<std::vector<SanitizerRecord>> watch(Backend& engine, const Image& image) {
    fill(plan_, trial_, *arena_);
    WS_TRY(const RunPlan bound, bind_plan(plan_, image, *arena_));
    auto& watcher = dynamic_cast<Sanitizes&>(engine);
    return watcher.sanitize(image, bound, arena_, SanitizerTool::kEngine, kLimit, {});
  }

  [[nodiscard]] const ResolvedPlan& plan() const { return plan_; }

  [[nodiscard]] const Contents& before() const { return before_; }

 private:
  ResolvedPlan plan_;
  Trial trial_;
  std::shared_ptr<Arena> arena_;
  Contents before_;
};

/// "" or why the GPU, or one that is not here, cannot launch it.
std::string too_much(const ResolvedPlan& plan, const Image& image, Backend* gpu) {
  const Result<DeviceInfo> info = gpu == nullptr ? DeviceInfo{} : gpu->info();
  return info ? over_limit(plan, image, info->limits) : info.error().message;
}

/// The results on the CPU engine. @errors kInvalidArgument: why the trial does not suit; others:
/// the engine failed.
Result<Contents> suits(Attempt& attempt, const Images& images, Backend& engine) {
  WS_TRY(Contents first, attempt.run(engine, images.checked));
  if (changed(attempt.plan(), attempt.before(), first) < kLeastChanged) {
    return fail(ErrorCode::kInvalidArgument, "it changes nothing");
  }
  WS_TRY(const Contents other,
         attempt.run(engine, images.checked, {.order = RunOrder::kDescending}));
  if (!difference(attempt.plan(), first, other).empty()) {
    return fail(ErrorCode::kInvalidArgument, "its results depend on the order of threads");
  }
  const auto races = attempt.watch(engine, images.watched);
  if (!races && races.error().code != ErrorCode::kTimeout) {
    return fail(races.error());
  }
  if (!races || !races->empty()) {
    return fail(ErrorCode::kInvalidArgument, races ? "it has a race in this launch"
                                                   : "it does too much to be watched for races");
  }
  return first;
}

/// "" or what differs.
std::string compared(Attempt& attempt, const Images& images, Backend& engine, Backend* gpu,
                     const Contents& want) {
  const auto look = [&](Backend& device, const Image& image, const std::string& name) {
    const Result<Contents> got = attempt.run(device, image);
    const std::string found = got ? difference(attempt.plan(), want, *got) : to_text(got.error());
    return found.empty() ? found : name + ": " + found;
  };
  std::string found = look(engine, images.fast, "the checked and the fast build");
  if (found.empty() && gpu != nullptr) {
    found = look(*gpu, images.gpu, "the CPU engine and the GPU");
  }
  return found;
}

const CompiledEntry* entry_of(const Image& image, const std::string& name) {
  const auto at = std::find_if(image.entries.begin(), image.entries.end(),
                               [&](const CompiledEntry& entry) { return entry.name == name; });
  return at == image.entries.end() ? nullptr : &*at;
}

/// One kernel, as both compilers have it.
struct Entries {
  const CompiledEntry& on_engine;
  const CompiledEntry& on_gpu;
};

/// "" or what differs. @errors kInvalidArgument: why the trial does not suit; others: the engine
/// failed.
Result<std::string> try_once(const Trial& trial, const Entries& entries, const Images& images,
                             Backend& engine, Backend* gpu) {
  WS_TRY(ResolvedPlan plan, plan_of(entries.on_engine, entries.on_gpu, trial));
  WS_TRY(std::shared_ptr<Arena> arena, Arena::create(plan.buffers, kArenaLimit));
  if (std::string why = too_much(plan, images.gpu, gpu); !why.empty()) {
    return fail(ErrorCode::kInvalidArgument, std::move(why));
  }
  Attempt attempt(std::move(plan), trial, std::move(arena));
  WS_TRY(const Contents want, suits(attempt, images, engine));
  return compared(attempt, images, engine, gpu, want);
}

}  // namespace

std::string_view name_of(Agreement agreement) {
  constexpr std::array<std::string_view, 5> names = {"none", "runs", "agrees", "differs", "failed"};
  return names.at(static_cast<std::size_t>(agreement));
}

KernelResult run_kernel(const std::string& entry, const Images& images, Backend& engine,
                        Backend* gpu) {
  KernelResult result;
  const CompiledEntry* const on_engine = entry_of(images.checked, entry);
  const CompiledEntry* const on_gpu = entry_of(images.gpu, entry);
  if (on_engine == nullptr || on_gpu == nullptr) {
    result.why = "an image lacks it";
    return result;
  }
  std::set<std::int64_t> numbers;  // Trials with the same number show much the same.
  for (const Trial& trial : trials()) {
    if (result.trials == kMostTrials || numbers.contains(trial.number)) {
      continue;
    }
    const Result<std::string> found = try_once(trial, {*on_engine, *on_gpu}, images, engine, gpu);
    if (!found && found.error().code != ErrorCode::kInvalidArgument) {
      result.agreement = Agreement::kFailed;
      result.why = to_text(found.error());
      return result;
    }
    if (!found) {
      result.why = result.trials == 0 ? found.error().message : "";
      continue;
    }
    numbers.insert(trial.number);
    ++result.trials;
    result.why = *found;
    if (!found->empty()) {
      result.agreement = Agreement::kDiffers;
      return result;
    }
    result.agreement = gpu == nullptr ? Agreement::kRuns : Agreement::kAgrees;
  }
  return result;
}

}  // namespace ws::survey
