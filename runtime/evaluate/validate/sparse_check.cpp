#include "runtime/evaluate/validate/sparse_check.h"

#include <algorithm>
#include <optional>

#include "runtime/device/fault_report.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/validate/launch_limit.h"

namespace ws {
namespace {

/// A quarter of the address space that a kernel of the CPU engine has.
constexpr std::uint64_t kSparseBytes = std::uint64_t{1} << 39U;

/// A sparse launch of one workload.
struct Launched {
  Verdict verdict = Verdict::kPassed;  ///< Another one: it could not run, or as `fault`.
  Fault fault;
  ResolvedPlan plan;
};

Result<Launched> launch_sparsely(Backend& backend, const Subject& subject, const Params& params,
                                 const Workload& workload, const std::stop_token& stop) {
  WS_TRY(const Compiled compiled,
         compile_for(backend, subject.problem, subject.kernel, workload, params,
                     {.build = Build::kBounds, .buffer_bytes = kSparseBytes}, stop));
  if (!compiled.ok()) {
    return Launched{compiled.verdict, {}, {}};
  }
  WS_TRY(const Prepared prepared, prepare(backend, compiled, RunAs::kCandidate));
  const std::chrono::milliseconds limit = launch_limit(/*reference_us=*/0);
  WS_TRY(const RunOutcome outcome,
         prepared.session->run_as({.sparse = true}, launch_poison(0, "sparse"), limit, stop));
  Launched launched{Verdict::kPassed, {}, prepared.plan};
  if (!outcome.ok()) {
    launched.fault = describe_fault(outcome, compiled.image(), prepared.plan, limit);
    launched.verdict = launched.fault.verdict;
  }
  return launched;
}

SparseLook look_of(LargeArgument largest, const ResolvedPlan& plan) {
  SparseLook look{.largest = std::move(largest)};
  for (const LaunchStep& step : plan.steps) {
    std::uint64_t blocks = 1;
    for (const std::int64_t extent : step.grid) {
      blocks *= static_cast<std::uint64_t>(extent);
    }
    look.of += blocks;
    look.blocks += std::min(blocks, kSparseBlocks);
  }
  return look;
}

struct SparseFound {
  SparseLook look;
  Verdict verdict = Verdict::kPassed;  ///< kPassed, or kOutOfBounds.
  Fault fault;                         ///< With kOutOfBounds.
};

/// @param tried    The workloads of the other runs, at least one.
/// @return  Nothing where no such size is allowed, where one of `tried` has it, or where the blocks
///          tell nothing: they wait for others, end in another fault, or take seconds.
Result<std::optional<SparseFound>> look_sparsely(Backend& backend, const Subject& subject,
                                                 const Params& params,
                                                 const std::vector<Workload>& tried,
                                                 const std::stop_token& stop) {
  WS_TRY(std::optional<LargeArgument> largest,
         untried_range(subject.problem, subject.kernel, params, tried));
  if (!largest) {
    return std::optional<SparseFound>();
  }
  WS_TRY(Launched launched, launch_sparsely(backend, subject, params, largest->workload, stop));
  if (launched.verdict == Verdict::kOutOfBounds) {
    // A kernel that takes its indices from its inputs may need other values than zeros.
    WS_TRY(const Launched small, launch_sparsely(backend, subject, params, tried.front(), stop));
    if (small.verdict != Verdict::kPassed) {
      return std::optional<SparseFound>();
    }
  } else if (launched.verdict != Verdict::kPassed) {
    return std::optional<SparseFound>();
  }
  return std::optional<SparseFound>(
      {look_of(*std::move(largest), launched.plan), launched.verdict, std::move(launched.fault)});
}

/// Why a kernel is wrong that stays within bounds at smaller sizes.
std::string sparse_message(const SparseLook& look, std::string_view detail) {
  return "with " + std::to_string(look.largest.elements) + " elements of `" + look.largest.name +
         "`, more than a 32-bit index counts: " + std::string(detail) +
         "; use 64-bit indices, or say in the kernel's `constraints` which sizes it takes";
}

}  // namespace

Status look_at_large_sizes(Backend& backend, const Subject& subject,
                           const ValidationRequest& request, const std::stop_token& stop,
                           ValidationResult& result) {
  std::vector<Workload> tried;
  std::ranges::transform(result.runs, std::back_inserter(tried), &RunRecord::workload);
  const Params& params = request.params.front();
  WS_TRY(std::optional<SparseFound> found, look_sparsely(backend, subject, params, tried, stop));
  if (!found) {
    return {};
  }
  if (found->verdict == Verdict::kPassed) {
    result.sparse = std::move(found->look);
    return {};
  }
  result.verdict = found->verdict;
  result.message = sparse_message(found->look, found->fault.message);
  result.runs.push_back({.workload = found->look.largest.workload,
                         .params = params,
                         .distribution = "zeros",
                         .verdict = found->verdict,
                         .shrunk_from = std::nullopt});
  result.fault = std::move(found->fault);
  return {};
}

}  // namespace ws
