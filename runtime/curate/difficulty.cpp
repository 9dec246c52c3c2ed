#include "runtime/curate/difficulty.h"

#include <algorithm>
#include <optional>
#include <set>

#include "runtime/curate/code_shape.h"
#include "runtime/kernel/expr/evaluate.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

constexpr double kReuse = 8;          // Operations for each element: a product, not a sweep.
constexpr double kReducingShare = 2;  // Elements read for each that is written.
constexpr double kTrivial = 1024;     // Elements.
constexpr std::size_t kManyStages = 3;

struct Facts {
  double in = 0;       ///< Elements of all inputs.
  double out = 0;      ///< The size of all outputs.
  double largest = 0;  ///< The size of the largest input.
  std::optional<double> flops;
  bool contracts = false;  ///< Two inputs share a dim that no output has.
  std::size_t launches = 1;
  CodeShape code;
};

Result<double> elements(const ArgSpec& arg, const Bindings& names) {
  double count = 1;
  for (const std::string& extent : arg.shape) {
    WS_TRY(const std::int64_t value, evaluate_size(extent, names, "shape of " + arg.name, 0));
    count *= static_cast<double>(value);
  }
  return count;
}

/// Looks at shapes that are written as plain dims.
bool contracts(const Problem& problem) {
  std::set<std::string> written;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kOut || arg.role == Role::kInout) {
      written.insert(arg.shape.begin(), arg.shape.end());
    }
  }
  const auto reaches_output = [&](const ArgSpec& arg) {
    return std::any_of(arg.shape.begin(), arg.shape.end(),
                       [&](const std::string& dim) { return written.contains(dim); });
  };
  for (const DimSpec& dim : problem.dims) {
    const auto sharing =
        std::count_if(problem.args.begin(), problem.args.end(), [&](const ArgSpec& arg) {
          return arg.role == Role::kIn && reaches_output(arg) &&
                 std::find(arg.shape.begin(), arg.shape.end(), dim.name) != arg.shape.end();
        });
    if (sharing >= 2 && !written.contains(dim.name)) {
      return true;
    }
  }
  return false;
}

Result<Workload> costliest(const Problem& problem) {
  WS_TRY(const std::vector<Workload> all, expand_workloads(problem));
  std::int64_t most = -1;
  Workload found;
  for (const Workload& workload : all) {
    WS_TRY(const std::int64_t cost, cost_of(problem, workload));
    if (cost > most) {
      most = cost;
      found = workload;
    }
  }
  return found;
}

Result<Facts> facts_of(const Problem& problem) {
  Facts facts;
  WS_TRY(const Workload workload, costliest(problem));
  const Bindings names = bindings_of(problem, workload);
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      continue;
    }
    WS_TRY(const double count, elements(arg, names));
    if (arg.role != Role::kOut) {
      facts.in += count;
      facts.largest = std::max(facts.largest, count);
    }
    facts.out += arg.role != Role::kIn ? count : 0;
  }
  WS_TRY(const auto flops, flops_of(problem, workload));
  if (flops) {
    facts.flops = static_cast<double>(*flops);
  }
  facts.contracts = contracts(problem);
  if (const Kernel* const plan = problem.reference.get()) {
    facts.code = shape_of_kernel(plan->macros + plan->source);
    facts.launches = 0;
    for (const LaunchSpec& launch : plan->launches) {
      facts.launches += launch.repeats.empty() ? 1U : 2U;
    }
  } else {
    facts.code = shape_of_program(problem.reference_source);
  }
  return facts;
}

std::string rounded_text(double value) {
  return std::to_string(static_cast<std::int64_t>(value + 0.5));
}

}  // namespace

Result<Difficulty> difficulty_of(const Problem& problem) {
  WS_TRY(const Facts facts, facts_of(problem));
  const double touched = facts.in + facts.out;
  const double reuse = facts.flops && touched > 0 ? *facts.flops / touched : 0;
  const bool product = reuse >= kReuse || facts.contracts || facts.code.multiplies;
  const std::string passes = std::to_string(facts.code.passes) + " passes";
  const std::string launches = std::to_string(facts.launches) + " launches";
  if (product && (facts.code.passes >= 2 || facts.launches >= kManyStages)) {
    return Difficulty{5, "a product within " + (facts.code.passes >= 2 ? passes : launches)};
  }
  if (facts.launches >= 2) {
    return Difficulty{4, launches};
  }
  if (product) {
    return Difficulty{3, reuse >= kReuse ? rounded_text(reuse) + " operations for each element"
                                         : "inputs are multiplied over a dim"};
  }
  if (facts.code.passes > 0) {
    return Difficulty{2, facts.code.passes == 1 ? "1 pass" : passes};
  }
  if (facts.code.talks) {
    return Difficulty{2, "threads exchange values"};
  }
  if (facts.out > 0 && facts.largest >= kReducingShare * facts.out) {
    return Difficulty{
        2, "reads " + rounded_text(facts.largest / facts.out) + " numbers for each that it writes"};
  }
  if (facts.in == 0) {
    return Difficulty{0, "no input"};
  }
  if (touched < kTrivial) {
    return Difficulty{0, "touches " + rounded_text(touched) + " elements at most"};
  }
  return Difficulty{1, "each number for itself"};
}

}  // namespace ws
