// The sizes that a problem is examined on.
#include <algorithm>

#include "runtime/evaluate/admission/admission.h"

namespace ws {
namespace {

/// The most that another workload may cost, in the units of cost_of: some ten runs of it take
/// seconds. One of a few times the first one's cost is taken all the same.
constexpr double kMostEmulated = 4e6;
constexpr double kMostOnGpu = 1e9;
constexpr double kTimesTheFirst = 4;

bool runs_reference(const Problem& problem, const Workload& workload) {
  if (!problem.reference) {
    return true;
  }
  const auto covered = cover(problem, *problem.reference, {workload}, problem.reference->defaults);
  return covered && !covered->run.empty();
}

/// The costliest that costs more than `least` and no more than `most`; nothing where none does.
Result<std::optional<Workload>> costliest(const Problem& problem,
                                          const std::vector<Workload>& choices, double least,
                                          double most) {
  std::optional<Workload> best;
  for (const Workload& choice : choices) {
    WS_TRY(const std::int64_t cost, cost_of(problem, choice));
    const auto value = static_cast<double>(cost);
    if (value > least && value <= most && runs_reference(problem, choice)) {
      best = choice;
      least = value;
    }
  }
  return best;
}

Result<Workload> first_workload(const Problem& problem, const std::vector<Workload>& listed,
                                bool emulated) {
  WS_TRY(Workload cheapest, smallest_workload(problem, listed));
  if (!emulated) {
    return cheapest;
  }
  const Kernel reference = problem.reference ? *problem.reference : Kernel{};
  WS_TRY(Shrunk shrunk, shrink_for_emulation(problem, reference, reference.defaults, cheapest));
  return std::move(shrunk.workload);
}

}  // namespace

Result<std::vector<Workload>> workloads_to_examine(const Problem& problem, bool emulated,
                                                   std::uint64_t secret) {
  constexpr std::size_t kHiddenTried = 12;
  WS_TRY(const std::vector<Workload> listed, expand_workloads(problem));
  WS_TRY(const Workload first, first_workload(problem, listed, emulated));
  WS_TRY(const std::int64_t cost, cost_of(problem, first));
  const auto least = static_cast<double>(cost);
  const double most = std::max(emulated ? kMostEmulated : kMostOnGpu, kTimesTheFirst * least);
  WS_TRY(std::optional<Workload> other, costliest(problem, listed, least, most));
  if (!other) {
    WS_TRY(const std::vector<Workload> hidden,
           hidden_workloads(problem, {first}, kHiddenTried, secret));
    WS_TRY(other, costliest(problem, hidden, least, most));
  }
  std::vector<Workload> chosen = {first};
  if (other) {
    chosen.push_back(*std::move(other));
  }
  return chosen;
}

}  // namespace ws
