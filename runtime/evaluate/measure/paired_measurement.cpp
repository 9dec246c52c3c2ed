#include "runtime/evaluate/measure/paired_measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/keyed_stream.h"
#include "runtime/bench/statistics.h"
#include "runtime/evaluate/measure/worst_inputs.h"
#include "runtime/judge/validation_plan.h"

namespace ws {
namespace {

/// Drawing inputs costs far more than a launch on a GPU, where every launch sees them rotated in
/// its own way: a draw serves several blocks.
constexpr std::uint64_t kBlocksPerDraw = 5;
constexpr std::chrono::seconds kTellingGap{1};

/// The distributions of timed inputs, of problems that take mixtures: a kernel that is fast on the
/// declared fill only is not fast, as that is a third of the draws. No zeros and no whole numbers:
/// a GPU clocks higher on them.
constexpr std::array kTimedDistributions = {Distribution::kDeclared, Distribution::kNormalRowScale,
                                            Distribution::kUniform};
/// Blocks of each of them.
constexpr int kFewestMixedBlocks = static_cast<int>(kBlocksPerDraw * kTimedDistributions.size());

/// A validated kernel and a library differ: most problems that are not what they are called do so.
constexpr const char* kNotPlain =
    ": the library computes a plain product or attention, which this problem may not ask for";

/// Carried out of measure_paired, which only knows Errors: the run ended, with a reason in result_.
constexpr const char* kEnded = "the measurement ended";

}  // namespace

Result<std::unique_ptr<PairedMeasurement>> PairedMeasurement::start(
    Backend& backend, const Problem& problem, const Workload& workload, const Compiled& kernel,
    const Compiled& baseline, const PairedMeasurementOptions& options,
    const std::stop_token& stop) {
  WS_TRY(const DeviceInfo device, backend.info());
  std::unique_ptr<PairedMeasurement> paired(
      new PairedMeasurement(problem, options, device.emulated));
  WS_CHECK(paired->open_arms(backend, kernel, baseline, stop));
  WS_TRY(const auto flops, flops_of(problem, workload));
  paired->outputs_.emplace(
      problem, paired->kernel_.timed.plan(), workload,
      flops ? std::optional<double>(static_cast<double>(*flops)) : std::nullopt);
  return paired;
}

Status PairedMeasurement::open_arms(Backend& backend, const Compiled& kernel,
                                    const Compiled& baseline, const std::stop_token& stop) {
  std::vector<Arm*> order = arms();
  if (options_.paired
          .twin) {  // Else the candidate's first, whose worker may have been kept for it.
    std::mt19937_64 random(derive_seed(options_.secret, "order of workers"));
    std::shuffle(order.begin(), order.end(), random);
  }
  for (Arm* arm : order) {
    const bool candidate = arm == &kernel_;
    const TimedKernelOptions fight{.as = candidate ? RunAs::kCandidate : RunAs::kBaseline,
                                   .emulated = emulated_,
                                   .hot = options_.hot,
                                   .limit = options_.limit,
                                   .batch = candidate ? options_.batch : std::string(),
                                   .library = candidate ? std::nullopt : options_.library};
    WS_TRY(arm->timed, TimedKernel::open(backend, candidate ? kernel : baseline, fight, stop));
  }
  result_.library = baseline_.timed.library();
  return {};
}

std::vector<PairedMeasurement::Arm*> PairedMeasurement::arms() {
  std::vector<Arm*> all = {&kernel_, &baseline_};
  if (options_.paired.twin) {
    all.push_back(&twin_);
  }
  return all;
}

PairedMeasurement::Arm& PairedMeasurement::arm_of(Side side) {
  switch (side) {
    case Side::kKernel:
      return kernel_;
    case Side::kBaseline:
      return baseline_;
    case Side::kTwin:
      break;
  }
  return twin_;
}

Status PairedMeasurement::fresh_inputs(std::uint64_t block) {
  const bool changed =
      std::any_of(kernel_.timed.plan().buffers.begin(), kernel_.timed.plan().buffers.end(),
                  [](const BufferSpec& buffer) { return buffer.role == BufferRole::kInout; });
  if (!emulated_ && !changed && block % kBlocksPerDraw != 0) {
    return {};
  }
  const std::uint64_t seed =
      run_seed(options_.secret, {.workload = 0, .distribution = {}, .seed_index = block});
  distribution_ =
      mixtures_ ? kTimedDistributions.at((options_.secret + draws_++) % kTimedDistributions.size())
                : Distribution::kDeclared;
  // Drawn into the baseline's arena, then copied: all sides see the same bits.
  WS_CHECK(fill_inputs(problem_, baseline_.timed.plan(), distribution_, seed,
                       outputs_->reduction_length(), baseline_.timed.arena()));
  for (const Arm* arm : arms()) {
    if (arm != &baseline_) {
      copy_inputs(arm->timed.plan(), baseline_.timed.arena(), arm->timed.arena());
    }
  }
  return {};
}

Status PairedMeasurement::compare_outputs() {
  WS_TRY(const bool judged,
         outputs_->compare(kernel_.timed.arena(), baseline_.timed.arena(), distribution_));
  if (!judged) {
    mixtures_ = false;
    return {};
  }
  return outputs_->compare_digests(kernel_.digests, baseline_.digests);
}

Status PairedMeasurement::was_fair(const std::optional<Violation>& violation, const Arm& arm) {
  if (!violation) {
    return {};
  }
  const std::string who = &arm == &kernel_ ? "the kernel: " : "the baseline: ";
  result_.problem_found = who + violation->message;
  result_.fault = violation->fault;
  return fail(ErrorCode::kInternal, kEnded);
}

Result<double> PairedMeasurement::measure(Side side, const std::stop_token& stop) {
  Arm& arm = arm_of(side);
  const std::uint64_t block = arm.blocks++;
  if (block == filled_) {
    WS_CHECK(fresh_inputs(block));
    ++filled_;
  }
  if (side == Side::kKernel) {
    drawn_.push_back(distribution_);
  }
  const std::uint64_t seed = derive_seed(options_.secret, "launch", launches_++);
  const TimedKernel::SharedInputs inputs{
      .secret = derive_seed(options_.secret, "inputs of launches", block),
      .launches = std::min(kernel_.timed.launches(), baseline_.timed.launches())};
  WS_TRY(TimedKernel::Block measured, arm.timed.measure(seed, inputs, cold_, log_, stop));
  WS_CHECK(was_fair(measured.violation, arm));
  arm.digests = std::move(measured.digests);
  if (side != Side::kTwin && kernel_.blocks == baseline_.blocks) {
    WS_CHECK(compare_outputs());
  }
  if (!outputs_->problem_found().empty()) {
    return fail(ErrorCode::kInternal, kEnded);
  }
  if (side == Side::kKernel && options_.progress) {
    tell(measured.us);
  }
  return measured.us;
}

void PairedMeasurement::tell(double kernel_us) {
  kernel_us_.push_back(kernel_us);
  const auto now = Clock::now();
  if (told_at_ && now - *told_at_ < kTellingGap) {
    return;
  }
  told_at_ = now;
  const double middle = median(kernel_us_);
  std::vector<double> distances;
  distances.reserve(kernel_us_.size());
  for (const double us : kernel_us_) {
    distances.push_back(std::abs(us - middle));
  }
  options_.progress({.samples = kernel_us_.size(),
                     .kernel_us = middle,
                     .noise = median(distances) / middle,
                     .spent_ms = elapsed_ms(began_)});
}

Result<PairedResult> PairedMeasurement::measure_both(const std::stop_token& stop) {
  WS_CHECK(fresh_inputs(0));
  double overhead_us = std::numeric_limits<double>::infinity();
  for (Arm* arm : arms()) {
    WS_TRY(const auto violation, arm->timed.calibrate(options_.secret, stop));
    WS_CHECK(was_fair(violation, *arm));
    overhead_us = std::min(overhead_us, arm->timed.overhead_us());
  }
  PairedOptions paired = options_.paired;
  if (mixtures_ && !emulated_) {
    paired.min_blocks = std::max(paired.min_blocks, kFewestMixedBlocks);
  }
  paired.overhead_us = overhead_us;
  paired.seed = derive_seed(options_.secret, "order within blocks");
  paired.waited_ms = [this] { return kernel_.timed.waited_ms() + baseline_.timed.waited_ms(); };
  return measure_paired([&](Side side) { return measure(side, stop); }, paired);
}

Result<PairedMeasurementResult> PairedMeasurement::run(const std::stop_token& stop) {
  auto times = measure_both(stop);
  if (times) {
    outputs_->compare_lone();
    result_.times = *std::move(times);
    keep_worst_inputs(std::span(drawn_).subspan(1), result_.times);
    result_.clocks = log_.clocks;
    result_.clocks.sm_mhz = log_.sm_mhz.empty() ? 0 : median(log_.sm_mhz);
  } else if (times.error().message != kEnded) {
    return fail(times.error());
  }
  if (result_.problem_found.empty() && !outputs_->problem_found().empty()) {
    result_.problem_found = outputs_->problem_found();
    result_.problem_found += result_.library ? kNotPlain : "";
  }
  return std::move(result_);
}

}  // namespace ws
