#include "runtime/evaluate/validate/validation_workloads.h"

#include <algorithm>

namespace ws {
namespace {

constexpr std::size_t kHiddenWorkloads = 13;
/// In units of cost_of; a tenth of a second or so on the CPU engine.
constexpr std::int64_t kWatchedCost = 200'000;

Status add(const Subject& subject, ChosenWorkloads& chosen, Workload workload,
           WorkloadOrigin origin, std::optional<Workload> from) {
  const bool known =
      std::any_of(chosen.candidates.begin(), chosen.candidates.end(),
                  [&](const CandidateWorkload& other) { return other.workload == workload; });
  if (known) {
    return {};
  }
  WS_TRY(const std::int64_t cost, cost_of(subject.problem, workload));
  chosen.candidates.push_back({std::move(workload), origin, cost});
  chosen.shrunk_from.push_back(std::move(from));
  return {};
}

bool is_taken(const ValidationRequest& request, const Workload& workload) {
  return !request.expected || request.expected->takes(workload);
}

/// @param allowed  Listed ones that the kernel's constraints allow: sizes are drawn beside them
/// where
///                 none was chosen.
Status add_hidden(const Subject& subject, const Params& params, const ValidationRequest& request,
                  const std::vector<Workload>& allowed, ChosenWorkloads& chosen) {
  std::vector<Workload> listed = chosen.candidates.empty() ? allowed : std::vector<Workload>();
  for (const CandidateWorkload& candidate : chosen.candidates) {
    listed.push_back(candidate.workload);
  }
  WS_TRY(const std::vector<Workload> hidden,
         hidden_workloads(subject.problem, listed, kHiddenWorkloads, request.secret));
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const auto covered = cover(subject.problem, subject.kernel, {hidden[i]}, params);
    if (!covered || covered->run.empty() || !is_taken(request, hidden[i])) {
      ++chosen.hidden_skipped;
      continue;
    }
    WS_CHECK(add(subject, chosen, hidden[i],
                 i == 0 ? WorkloadOrigin::kMinimal : WorkloadOrigin::kRagged, std::nullopt));
  }
  return {};
}

}  // namespace

Result<ChosenWorkloads> choose_workloads(const Subject& subject, const Params& params,
                                         const ValidationRequest& request, bool emulated) {
  ChosenWorkloads chosen;
  std::vector<Workload> listed = request.workloads;
  if (listed.empty()) {
    WS_TRY(listed, expand_workloads(subject.problem));
  }
  chosen.declared = listed.size();
  WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, listed, params));
  chosen.unsupported = coverage.unsupported.size();
  for (const Workload& workload : coverage.run) {
    Shrunk shrunk{workload, std::nullopt};
    if (emulated) {
      WS_TRY(shrunk, shrink_for_emulation(subject.problem, subject.kernel, params, workload));
    }
    if (!is_taken(request, shrunk.workload)) {
      shrunk = {workload, std::nullopt};
    }
    if (is_taken(request, shrunk.workload)) {
      WS_CHECK(add(subject, chosen, shrunk.workload, WorkloadOrigin::kListed, shrunk.from));
    }
  }
  if (request.workloads.empty()) {
    WS_CHECK(add_hidden(subject, params, request, coverage.run, chosen));
  }
  if (chosen.candidates.empty()) {
    return fail(ErrorCode::kInvalidArgument, "none of the sizes is one that both kernels take",
                "give `workload` sizes that the problems and the constraints of both allow");
  }
  return chosen;
}

std::vector<Workload> workloads_to_sanitize(const ChosenWorkloads& chosen, bool more) {
  std::vector<Workload> found;
  for (const bool listed : {true, false}) {
    const CandidateWorkload* cheapest = nullptr;
    const CandidateWorkload* costliest = nullptr;
    for (const CandidateWorkload& candidate : chosen.candidates) {
      if ((candidate.origin == WorkloadOrigin::kListed) != listed) {
        continue;
      }
      if (cheapest == nullptr || candidate.cost < cheapest->cost) {
        cheapest = &candidate;
      }
      if (candidate.cost <= kWatchedCost &&
          (costliest == nullptr || candidate.cost > costliest->cost)) {
        costliest = &candidate;
      }
    }
    if (cheapest != nullptr) {
      found.push_back(cheapest->workload);
    }
    if (more && costliest != nullptr && costliest != cheapest) {
      found.push_back(costliest->workload);
    }
  }
  return found;
}

std::vector<std::size_t> workloads_of(const ValidationPlan& plan) {
  std::vector<std::size_t> workloads;
  for (const ValidationRun& run : plan.runs) {
    if (std::ranges::find(workloads, run.workload) == workloads.end()) {
      workloads.push_back(run.workload);
    }
  }
  return workloads;
}

}  // namespace ws
