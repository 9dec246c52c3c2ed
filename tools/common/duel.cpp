#include "tools/common/duel.h"

#include <algorithm>
#include <vector>

#include "runtime/bench/statistics.h"
#include "runtime/judge/validation_plan.h"

namespace ws {
namespace {

constexpr int kCalibrations = 15;
/// A launch cannot take less: keeps a ratio finite where the overhead is most of it.
constexpr double kShortestUs = 0.05;
/// Walked over before a cold launch; beyond the private caches, not beyond every L3.
constexpr std::size_t kColdBytes = std::size_t{32} << 20U;
/// Both sides may be wrong by the tolerance.
constexpr double kTwoSided = 2;

/// Carried out of measure_paired, which only knows Errors: the run ended, with a reason in result_.
constexpr const char* kEnded = "the duel ended";

}  // namespace

Result<std::unique_ptr<Duel>> Duel::start(Backend& backend, const Problem& problem,
                                          const Workload& workload, const Compiled& kernel,
                                          const Compiled& baseline, const DuelOptions& options) {
  std::unique_ptr<Duel> duel(new Duel(problem, options));
  WS_TRY(duel->kernel_.prepared, prepare(backend, kernel));
  WS_TRY(duel->baseline_.prepared, prepare(backend, baseline));
  WS_TRY(const auto flops, flops_of(problem, workload));
  std::optional<double> known_flops;
  if (flops) {
    known_flops = static_cast<double>(*flops);
  }
  const std::vector<BufferSpec>& buffers = kernel.plan.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const ArgSpec* arg = problem.find_arg(buffers[i].name);
    const bool written =
        buffers[i].role == BufferRole::kOut || buffers[i].role == BufferRole::kInout;
    if (arg == nullptr || !written) {
      continue;
    }
    const double length = reduction_length(*arg, workload, known_flops, buffers[i].elements);
    ErrorBound bound = error_bound(problem, *arg, length);
    bound.rtol *= kTwoSided;
    bound.atol *= kTwoSided;
    duel->outputs_.emplace_back(i, bound);
    duel->reduction_length_ = std::max(duel->reduction_length_, length);
  }
  if (!options.hot) {
    duel->cold_.resize(kColdBytes);
  }
  return duel;
}

Status Duel::calibrate(Fighter& fighter, const std::stop_token& stop) {
  std::vector<double> times;
  for (int i = 0; i < kCalibrations; ++i) {
    WS_TRY(const RunOutcome outcome,
           fighter.prepared.session->run(kNoLaunch, options_.limit, stop));
    times.push_back(outcome.elapsed_us);
  }
  fighter.overhead_us = median(times);
  return {};
}

Status Duel::fresh_inputs(std::uint64_t block) {
  const std::uint64_t seed =
      run_seed(options_.secret, {.workload = 0, .distribution = {}, .seed_index = block});
  return fill_inputs(problem_, baseline_.prepared.plan, Distribution::kDeclared, seed,
                     reduction_length_, *baseline_.prepared.arena);
}

void Duel::cool_caches() {
  for (std::size_t i = 0; i < cold_.size(); i += 64) {
    cold_[i] = static_cast<std::byte>(static_cast<unsigned char>(cold_[i]) + 1U);
  }
}

void Duel::compare_outputs() {
  for (const auto& [index, bound] : outputs_) {
    const BufferSpec& spec = kernel_.prepared.plan.buffers[index];
    const Comparison comparison = compare(spec, kernel_.prepared.arena->buffer(index),
                                          baseline_.prepared.arena->buffer(index), bound);
    if (!comparison.passed()) {
      result_.problem_found = "in a timed launch, output `" + spec.name + "` differs from the " +
                              "baseline's in " + std::to_string(comparison.mismatches) + " of " +
                              std::to_string(comparison.elements) + " elements";
      return;
    }
  }
}

Result<double> Duel::measure(Side side, const std::stop_token& stop) {
  Fighter& fighter = side == Side::kKernel ? kernel_ : baseline_;
  const Fighter& other = side == Side::kKernel ? baseline_ : kernel_;
  const std::uint64_t block = fighter.launches++;
  const bool first = other.launches <= block;
  if (first) {
    // Drawn into the baseline's arena, then copied: both sides see the same bits.
    WS_CHECK(fresh_inputs(block));
    copy_inputs(kernel_.prepared.plan, *baseline_.prepared.arena, *kernel_.prepared.arena);
  }
  const std::uint64_t poison = options_.secret ^ (2 * block + (first ? 0 : 1));
  const Watch watch(fighter.prepared.plan, *fighter.prepared.arena, poison);
  cool_caches();
  WS_TRY(const RunOutcome outcome,
         fighter.prepared.session->run(poison | 1U, options_.limit, stop));
  const std::string who = side == Side::kKernel ? "the kernel: " : "the baseline: ";
  if (!outcome.ok()) {
    result_.fault = describe_fault(outcome, fighter.prepared.compiled->image, fighter.prepared.plan,
                                   options_.limit);
    result_.problem_found = who + result_.fault->message;
  } else if (const auto damage = watch.damage()) {
    result_.problem_found = who + damage->message;
  } else if (!first) {
    compare_outputs();
  }
  if (!result_.problem_found.empty()) {
    return fail(ErrorCode::kInternal, kEnded);
  }
  return std::max(outcome.elapsed_us - fighter.overhead_us, kShortestUs);
}

Result<DuelResult> Duel::run(const std::stop_token& stop) {
  WS_CHECK(calibrate(kernel_, stop));
  WS_CHECK(calibrate(baseline_, stop));
  PairedOptions paired = options_.paired;
  paired.seed = options_.secret;
  auto times = measure_paired([&](Side side) { return measure(side, stop); }, paired);
  if (times) {
    result_.times = *std::move(times);
  } else if (times.error().message != kEnded) {
    return fail(times.error());
  }
  return std::move(result_);
}

}  // namespace ws
