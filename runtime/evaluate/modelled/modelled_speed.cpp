#include "runtime/evaluate/modelled/modelled_speed.h"

#include <optional>
#include <utility>

#include "runtime/base/keyed_stream.h"
#include "runtime/evaluate/measure/measurement.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/modelled/software_run.h"
#include "runtime/judge/compare.h"
#include "runtime/judge/conditioning.h"
#include "runtime/judge/tolerance.h"
#include "runtime/judge/unordered.h"

namespace ws {
namespace {

/// Both sides may be wrong by the tolerance.
constexpr double kBothSides = 2;

/// The first output in which the two runs differ; empty: none.
Result<std::string> differing_output(const Problem& problem, const Workload& workload,
                                     const ProfileRun& kernel, const ProfileRun& baseline) {
  WS_TRY(const auto flops, flops_of(problem, workload));
  const auto operations = flops ? std::optional(static_cast<double>(*flops)) : std::nullopt;
  for (std::size_t i = 0; i < kernel.plan.buffers.size(); ++i) {
    const BufferSpec& buffer = kernel.plan.buffers[i];
    const ArgSpec* const arg = problem.find_arg(buffer.name);
    const bool written = buffer.role == BufferRole::kOut || buffer.role == BufferRole::kInout;
    if (arg == nullptr || !written) {
      continue;
    }
    const auto bound_of = [&](const ArgSpec& output, const BufferSpec& spec) {
      const double length = reduction_length(output, workload, operations, spec.elements);
      return scaled(error_bound(problem, output, length), kBothSides);
    };
    if (arg->unordered) {
      const RowsComparison rows = compare_any_order(
          problem, kernel.plan.buffers, i, bytes_of(*kernel.arena), bytes_of(*baseline.arena),
          [&](const CountedOutput& output) { return bound_of(output.arg, output.whole); });
      if (rows.agreement == Agreement::kUnknown) {
        return fail(ErrorCode::kUnsupported, "output `" + buffer.name + "`: " + rows.pattern.text,
                    rows.pattern.hint);
      }
      if (rows.agreement == Agreement::kOther) {
        return buffer.name;
      }
      continue;
    }
    ErrorBound bound = bound_of(*arg, buffer);
    const std::span<const std::byte> want = baseline.arena->buffer(i);
    if (!shows_size(buffer, want)) {
      bound.lone = largest_finite(buffer, want);
    }
    if (!compare(buffer, kernel.arena->buffer(i), want, bound).passed()) {
      return buffer.name;
    }
  }
  return std::string();
}

/// One side of a workload, or why there is none.
struct CountedSide {
  ProfileRun run;
  std::string unknown;
};

Result<CountedSide> count_side(Backend& engine, const Subject& subject,
                               const ProfileQuestion& question, const std::string& name,
                               const std::stop_token& stop) {
  CountedSide side;
  auto run = run_in_software(engine, subject, question, stop);
  if (!run && run.error().code != ErrorCode::kUnsupported) {
    return fail(run.error());
  }
  if (!run) {
    side.unknown = "the " + name + " cannot be counted: " + run.error().message;
  } else if (run->verdict != Verdict::kProfiled) {
    side.unknown = "the " + name + " cannot be counted: " + run->message;
  } else if (!run->input.tiles.empty()) {
    side.unknown = "the " + name +
                   " is made of tiles: what its warps wait for is not known without its compiler";
  } else {
    side.run = *std::move(run);
  }
  return side;
}

ModelledSpeedup unknown(std::string why) {
  ModelledSpeedup speedup;
  speedup.unknown = std::move(why);
  return speedup;
}

}  // namespace

Result<ModelledSpeedup> model_speed(Backend& engine, const Subject& subject,
                                    const ModelledSpeedRequest& request,
                                    const CallContext& context) {
  WS_TRY(const std::vector<TimedWorkload> chosen,
         timed_workloads(subject, {}, request.params, /*emulated=*/true));
  const Subject other{subject.problem, request.baseline.kernel};
  std::vector<CountedPair> pairs;
  for (const TimedWorkload& timed : chosen) {
    if (timed.shrunk_from) {
      return unknown(
          "the CPU engine runs a smaller workload than the problem lists, and a kernel "
          "may do something else with a large one: list smaller ones");
    }
    ProfileQuestion question;
    question.workload = timed.workload;
    question.params = request.params;
    question.secret = derive_seed(request.secret, "workload", pairs.size());
    WS_TRY(CountedSide kernel, count_side(engine, subject, question, "kernel", context.stop));
    question.params = other.kernel.defaults;
    WS_TRY(CountedSide baseline, count_side(engine, other, question, "baseline", context.stop));
    for (const CountedSide* side : {&kernel, &baseline}) {
      if (!side->unknown.empty()) {
        return unknown(side->unknown);
      }
    }
    WS_TRY(const std::string differs,
           differing_output(subject.problem, timed.workload, kernel.run, baseline.run));
    if (!differs.empty()) {
      return unknown("output `" + differs +
                     "` of the kernel differs from the baseline's where it was counted");
    }
    pairs.push_back({std::move(kernel.run.input), std::move(baseline.run.input)});
  }
  return modelled_speedup(pairs);
}

}  // namespace ws
