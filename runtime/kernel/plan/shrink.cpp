// Replacing a workload that is too large to emulate by a smaller one of the same structure.
#include <algorithm>

#include "runtime/kernel/language.h"
#include "runtime/kernel/plan/executor_cost.h"
#include "runtime/kernel/plan/params.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

// Most choices that are tried for one tile; dims beyond it are only minimal or as they were.
constexpr std::size_t kMaxChoices = 4096;

/// The sizes that one dim may shrink to, for tiles of at least `tile`; always ends with its own.
std::vector<std::int64_t> smaller_sizes(const DimSpec& dim, std::int64_t value, std::int64_t tile) {
  const std::int64_t least = std::max<std::int64_t>(std::min(tile, value), 1);
  std::vector<std::int64_t> sizes;
  for (const std::int64_t listed : dim.values) {
    if (listed >= least && listed < value) {
      sizes.push_back(listed);
    }
  }
  if (dim.open) {
    const std::int64_t wanted = std::max(least, dim.min);
    const std::int64_t size = (wanted + dim.multiple_of - 1) / dim.multiple_of * dim.multiple_of;
    if (size < value && size <= dim.max) {
      sizes.push_back(size);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  sizes.push_back(value);
  return sizes;
}

std::vector<Workload> choices_for(const Problem& problem, const Workload& workload,
                                  std::int64_t tile) {
  std::vector<Workload> choices = {workload};
  for (const DimSpec& dim : problem.dims) {
    std::vector<std::int64_t> sizes = smaller_sizes(dim, workload.dims.at(dim.name), tile);
    if (choices.size() * sizes.size() > kMaxChoices) {
      sizes.erase(sizes.begin() + 1, sizes.end() - 1);
    }
    if (choices.size() * sizes.size() > kMaxChoices) {
      break;
    }
    std::vector<Workload> next;
    for (const Workload& choice : choices) {
      for (const std::int64_t size : sizes) {
        next.emplace_back(choice).dims[dim.name] = size;
      }
    }
    choices = std::move(next);
  }
  return choices;
}

struct Candidate {
  Workload workload;
  std::int64_t cost = 0;
};

/// In the units of cost_of. Kernels of tiles run on CuIR's executor.
Result<std::int64_t> emulated_cost(const Problem& problem, const Kernel& kernel,
                                   const Workload& workload) {
  return is_tile_language(kernel.language) ? executor_cost_of(problem, workload)
                                           : cost_of(problem, workload);
}

using CostFunction = Result<std::int64_t> (*)(const Problem&, const Kernel&, const Workload&);

/// The cheapest choice that problem and kernel allow.
Result<std::optional<Candidate>> cheapest(const Problem& problem, const Kernel& kernel,
                                          const Params& params,
                                          const std::vector<Workload>& choices,
                                          CostFunction cost_by) {
  std::optional<Candidate> best;
  for (const Workload& choice : choices) {
    WS_TRY(const std::int64_t cost, cost_by(problem, kernel, choice));
    if ((best && cost >= best->cost) || !check_workload(problem, choice)) {
      continue;
    }
    WS_TRY(const std::string broken, broken_constraint(problem, kernel, choice, params));
    if (broken.empty()) {
      best = Candidate{choice, cost};
    }
  }
  return best;
}

Result<Shrunk> shrink(const Problem& problem, const Kernel& kernel, const Params& params,
                      const Workload& workload, std::int64_t limit, CostFunction cost_by) {
  WS_TRY(const std::int64_t asked, cost_by(problem, kernel, workload));
  Candidate best{workload, asked};
  constexpr std::int64_t kTiles[] = {256, 128, 64, 1};
  for (const std::int64_t tile : kTiles) {
    if (best.cost <= limit) {
      break;
    }
    WS_TRY(const std::optional<Candidate> found,
           cheapest(problem, kernel, params, choices_for(problem, workload, tile), cost_by));
    if (found && found->cost < best.cost) {
      best = *found;
    }
  }
  Shrunk shrunk;
  if (best.workload != workload) {
    shrunk.from = workload;
  }
  shrunk.workload = std::move(best.workload);
  return shrunk;
}

}  // namespace

Result<Shrunk> shrink_for_emulation(const Problem& problem, const Kernel& kernel,
                                    const Params& params, const Workload& workload) {
  return shrink(problem, kernel, params, workload, kEmulatedCostLimit, emulated_cost);
}

Result<Shrunk> shrink_below(const Problem& problem, const Kernel& kernel, const Params& params,
                            const Workload& workload, std::int64_t limit) {
  return shrink(problem, kernel, params, workload, limit,
                [](const Problem& of, const Kernel& /*kernel*/, const Workload& one) {
                  return cost_of(of, one);
                });
}

}  // namespace ws
