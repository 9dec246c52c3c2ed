#include "tests/survey/agreement/kernel_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/device/bind.h"
#include "runtime/device/fault_report.h"
#include "runtime/device/sanitizer.h"
#include "tests/survey/agreement/trial.h"

namespace ws::survey {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kArenaLimit = std::uint64_t{1} << 30U;
constexpr milliseconds kLimit{5000};
constexpr int kMostTrials = 3;
/// Fewer changed elements say little.
constexpr std::size_t kLeastChanged = 16;

using Contents = std::vector<std::vector<std::byte>>;

Contents contents_of(const Arena& arena) {
  Contents contents;
  for (std::size_t i = 0; i < arena.size(); ++i) {
    const std::span<std::byte> bytes = arena.buffer(i);
    contents.emplace_back(bytes.begin(), bytes.end());
  }
  return contents;
}

/// The change that rounding in another order may make, as a share of a value or of the buffer's
/// root mean square.
double tolerance(DType type) {
  return is_float(type) ? std::sqrt(unit_roundoff(type)) / (type == DType::kF32 ? 4 : 1) : 0;
}

bool close(double one, double other, double slack) {
  return one == other || (std::isnan(one) && std::isnan(other)) || std::abs(one - other) <= slack;
}

/// "" or where two results differ.
std::string difference(const ResolvedPlan& plan, const Contents& one, const Contents& other) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    if (one[i] == other[i]) {
      continue;
    }
    const auto elements = static_cast<std::size_t>(buffer.elements);
    const auto value = [&](const Contents& contents, std::size_t at) {
      return load_element(buffer.type, contents[i].data(), at);
    };
    double squares = 0;
    for (std::size_t at = 0; at < elements; ++at) {
      const double x = value(one, at);
      squares += std::isfinite(x) ? x * x : 0;
    }
    const double rms = std::sqrt(squares / static_cast<double>(elements));
    for (std::size_t at = 0; at < elements; ++at) {
      const double x = value(one, at);
      const double y = value(other, at);
      if (!close(x, y, tolerance(buffer.type) * std::max({rms, std::abs(x), std::abs(y)}))) {
        return buffer.name + "[" + std::to_string(at) + "]: " + std::to_string(x) + " and " +
               std::to_string(y);
      }
    }
  }
  return {};
}

std::size_t changed(const ResolvedPlan& plan, const Contents& before, const Contents& after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::size_t size = size_of(plan.buffers[i].type);
    for (std::size_t at = 0; at < before[i].size(); at += size) {
      count += std::memcmp(&before[i][at], &after[i][at], size) == 0 ? 0U : 1U;
    }
  }
  return count;
}

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

}  // namespace

std::string_view name_of(Agreement agreement) {
  constexpr std::array<std::string_view, 4> names = {"none", "runs", "agrees", "differs"};
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
    if (numbers.contains(trial.number)) {
      continue;
    }
    Result<ResolvedPlan> plan = plan_of(*on_engine, *on_gpu, trial);
    if (!plan) {
      result.why = plan.error().message;
      return result;
    }
    Result<std::shared_ptr<Arena>> arena = Arena::create(plan->buffers, kArenaLimit);
    if (!arena) {
      result.why = arena.error().message;
      return result;
    }
    if (std::string why = too_much(*plan, images.gpu, gpu); !why.empty()) {
      result.why = result.trials == 0 ? std::move(why) : "";
      continue;
    }
    Attempt attempt(*std::move(plan), trial, *std::move(arena));
    const Result<Contents> want = suits(attempt, images, engine);
    if (!want && want.error().code != ErrorCode::kInvalidArgument) {
      result = {.agreement = Agreement::kDiffers, .why = to_text(want.error())};
      return result;
    }
    if (!want) {
      result.why = result.trials == 0 ? want.error().message : "";
      continue;
    }
    numbers.insert(trial.number);
    result.why = compared(attempt, images, engine, gpu, *want);
    ++result.trials;
    if (!result.why.empty()) {
      result.agreement = Agreement::kDiffers;
      return result;
    }
    result.agreement = gpu == nullptr ? Agreement::kRuns : Agreement::kAgrees;
    if (result.trials == kMostTrials) {
      break;
    }
  }
  return result;
}

}  // namespace ws::survey
