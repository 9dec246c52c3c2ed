#include "runtime/evaluate/validate/sparse_check.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "runtime/device/fault_report.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/validate/launch_limit.h"
#include "runtime/evaluate/validate/wrap_marks.h"

namespace ws {
namespace {

/// Nearly all that a kernel of the CPU engine can reach, 64 GiB.
constexpr std::uint64_t kSparseBytes = std::uint64_t{62} << 30U;

/// Arguments may take so much of that: the rest is for what lies between them.
constexpr double kArgumentBytes = 0.99 * kSparseBytes;

/// A sparse launch of one workload.
struct Launched {
  Verdict verdict = Verdict::kPassed;  ///< Another one: it could not run, or as `fault`.
  Fault fault;
  ResolvedPlan plan;
  std::optional<Wrapped> wrapped{};
  std::set<std::string> ended{};  ///< As WrapMarks.
};

/// A certain one of so many blocks hardly ever is among those that run, unless it is the last.
constexpr std::uint64_t kManyBlocks = 32 * kSparseBlocks;
constexpr std::size_t kOtherSizes = 2;
/// No index of so many elements wraps, in bytes either.
constexpr std::int64_t kSurelyWithin = std::int64_t{1} << 28U;

Result<Launched> launch_sparsely(Backend& backend, const Subject& subject, const Params& params,
                                 const Workload& workload, const std::stop_token& stop) {
  WS_TRY(const Compiled compiled,
         compile_for(backend, subject.problem, subject.kernel, workload, params,
                     {.build = Build::kBounds, .buffer_bytes = kSparseBytes}, stop));
  if (!compiled.ok()) {
    return Launched{compiled.verdict, {}, {}};
  }
  WS_TRY(const Prepared prepared, prepare(backend, compiled, RunAs::kCandidate));
  const WrapMarks marks(prepared.plan, *prepared.arena);
  const std::chrono::milliseconds limit = launch_limit(/*reference_us=*/0);
  WS_TRY(const RunOutcome outcome,
         prepared.session->run_as({.sparse = true}, launch_poison(0, "sparse"), limit, stop));
  Launched launched{Verdict::kPassed, {}, prepared.plan, marks.find(), marks.ended()};
  if (!outcome.ok()) {
    launched.fault = describe_fault(outcome, compiled.image(), prepared.plan, limit);
    launched.verdict = launched.fault.verdict;
  }
  return launched;
}

std::uint64_t blocks_of(const LaunchStep& step) {
  std::uint64_t blocks = 1;
  for (const std::int64_t extent : step.grid) {
    blocks *= static_cast<std::uint64_t>(extent);
  }
  return blocks;
}

SparseLook look_of(LargeArgument largest, const ResolvedPlan& plan) {
  SparseLook look{.largest = std::move(largest)};
  for (const LaunchStep& step : plan.steps) {
    const std::uint64_t blocks = blocks_of(step);
    look.of += blocks;
    look.blocks += std::min(blocks, kSparseBlocks);
  }
  return look;
}

struct SparseFound {
  SparseLook look;
  Verdict verdict = Verdict::kPassed;  ///< kPassed, kOutOfBounds, or kIncorrect.
  std::optional<Fault> fault{};        ///< With kOutOfBounds.
  std::optional<Wrapped> wrapped{};    ///< With kIncorrect.
};

/// The least blocks of a launch, and the elements of the largest argument.
struct Size {
  std::uint64_t blocks = std::numeric_limits<std::uint64_t>::max();
  std::int64_t elements = 0;
};

Size size_of_launches(const ResolvedPlan& plan, const LargeArgument& largest) {
  Size size{.elements = largest.elements};
  for (const LaunchStep& step : plan.steps) {
    size.blocks = std::min(size.blocks, blocks_of(step));
  }
  return size;
}

/// Where a grid does not grow with the arguments each block does the work of many, so the last one
/// need not write the last element.
bool grows(const Size& small, const Size& large) {
  constexpr double kShare = 0.5;
  return static_cast<double>(large.blocks) / static_cast<double>(small.blocks) >=
         kShare * static_cast<double>(large.elements) / static_cast<double>(small.elements);
}

/// Whether the last block writes an output's last element at a size at which no index wraps.
/// @return  False as well where no workload, listed or in `tried`, has enough blocks to tell, or
/// one has a grid that does not grow to that of the launch that is asked about, `large`.
Result<bool> ends_with_last_block(Backend& backend, const Subject& subject, const Params& params,
                                  const std::vector<Workload>& tried, const Size& large,
                                  const std::string& output, const std::stop_token& stop) {
  WS_TRY(std::vector<Workload> sizes, expand_workloads(subject.problem));
  std::erase_if(sizes, [&](const Workload& workload) {
    const auto covered = cover(subject.problem, subject.kernel, {workload}, params);
    return !covered || covered->run.empty();
  });
  sizes.insert(sizes.end(), tried.begin(), tried.end());
  std::map<std::uint64_t, const Workload*> by_blocks;
  for (const Workload& workload : sizes) {
    WS_TRY(const LargeArgument largest, largest_argument(subject.problem, workload));
    if (largest.elements > kSurelyWithin) {
      continue;
    }
    WS_TRY(const ResolvedPlan plan,
           resolve_plan(subject.problem, subject.kernel, workload, params));
    const Size small = size_of_launches(plan, largest);
    if (small.blocks < kManyBlocks) {
      continue;
    }
    if (!grows(small, large)) {
      return false;
    }
    by_blocks.emplace(small.blocks, &workload);
  }
  std::size_t looks = 0;
  for (auto at = by_blocks.rbegin(); at != by_blocks.rend() && looks < kOtherSizes; ++at, ++looks) {
    WS_TRY(const Launched small, launch_sparsely(backend, subject, params, *at->second, stop));
    if (small.verdict != Verdict::kPassed || !small.ended.contains(output)) {
      return false;
    }
  }
  return looks > 0;
}

/// @param tried    The workloads of the other runs, at least one.
/// @return  Nothing where no such size is allowed, where one of `tried` has it, or where the blocks
///          tell nothing: they wait for others, end in another fault, or take seconds.
Result<std::optional<SparseFound>> look_sparsely(Backend& backend, const Subject& subject,
                                                 const Params& params,
                                                 const std::vector<Workload>& tried,
                                                 const std::stop_token& stop) {
  WS_TRY(std::optional<LargeArgument> largest,
         untried_range(subject.problem, subject.kernel, params, tried, kArgumentBytes));
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
  SparseFound found{look_of(*std::move(largest), launched.plan), launched.verdict};
  if (launched.verdict == Verdict::kOutOfBounds) {
    found.fault = std::move(launched.fault);
    return std::optional<SparseFound>(std::move(found));
  }
  bool wraps = false;
  if (launched.wrapped) {
    WS_TRY(wraps, ends_with_last_block(backend, subject, params, tried,
                                       size_of_launches(launched.plan, found.look.largest),
                                       launched.wrapped->output, stop));
  }
  if (wraps) {
    found.verdict = Verdict::kIncorrect;
    found.wrapped = std::move(launched.wrapped);
  }
  return std::optional<SparseFound>(std::move(found));
}

std::string wrapped_text(const Wrapped& wrapped) {
  const auto element = [&](std::int64_t at) {
    return "`" + wrapped.output + "[" + std::to_string(at) + "]`";
  };
  return "blocks that ran, the last one among them, wrote " + element(wrapped.written) +
         " and not the last element, " + element(wrapped.meant) +
         ": an index of 32 bits wraps around";
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
  if (found->wrapped) {
    result.finding = FindingCode::kIndexWraps;
  }
  result.message = sparse_message(
      found->look, found->fault ? found->fault->message : wrapped_text(*found->wrapped));
  result.runs.push_back({.workload = found->look.largest.workload,
                         .params = params,
                         .distribution = "zeros",
                         .verdict = found->verdict,
                         .shrunk_from = std::nullopt});
  result.fault = std::move(found->fault);
  return {};
}

}  // namespace ws
