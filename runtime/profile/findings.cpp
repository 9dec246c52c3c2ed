#include "runtime/profile/findings.h"

#include <algorithm>
#include <array>
#include <span>

#include "runtime/base/numbers.h"
#include "runtime/base/units.h"
#include "runtime/profile/causes.h"

namespace ws {
namespace {

Finding uncoalesced(const CauseContext& context) {
  const Counts& total = context.total();
  const auto wasted = [](const Counts& counts) {
    return std::max(0.0, counts.sectors - counts.ideal_sectors);
  };
  double waste = 0;
  for (const LineCounts& line : context.input.counts.lines) {
    waste += wasted(line.counts);  // A broadcast line does not make up for another.
  }
  Finding finding;
  finding.lines = heaviest(context, wasted);
  const double requests = total.requests[static_cast<std::size_t>(MemorySpace::kGlobal)];
  finding.metric = "sectors_per_request";
  finding.value = quotient(total.sectors, requests);
  finding.unit = "sectors of 32 bytes";
  finding.meaning = "a warp's global request touches " + three_digits(finding.value) +
                    " sectors; " + three_digits(quotient(total.ideal_sectors, requests)) +
                    " would hold its data: " + percent_text(quotient(waste, total.sectors)) +
                    " of the traffic is not used";
  finding.advice =
      at_lines(finding.lines) +
      "let neighbouring threads (threadIdx.x) access neighbouring elements: swap loops "
      "or indices, change the layout, or go through shared memory";
  // Scattered sectors cost more in the caches than the model knows. Where it was counted how busy
  // the caches were, the wasted sectors have their share of that.
  const MemoryCounts memory = context.input.memory.value_or(MemoryCounts{});
  const double counted = memory.busy * (1 - memory.local_share) * quotient(waste, total.sectors);
  finding.may_explain = std::max(context.share(waste / kHopper.sectors), counted);
  return finding;
}

Finding bank_conflicts(const CauseContext& context) {
  const Counts& total = context.total();
  const auto extra = [](const Counts& counts) { return counts.passes - counts.ideal_passes; };
  Finding finding;
  finding.lines = heaviest(context, extra);
  const double requests = total.requests[static_cast<std::size_t>(MemorySpace::kShared)];
  finding.metric = "shared_passes_per_request";
  finding.value = quotient(total.passes, requests);
  finding.unit = "cycles";
  finding.meaning = "a warp's shared-memory request takes " + three_digits(finding.value) +
                    " cycles, " + three_digits(quotient(total.ideal_passes, requests)) +
                    " without conflicts: its threads access different words of the same bank";
  finding.advice =
      at_lines(finding.lines) +
      "pad the rows of the shared array by one element ([32][33]), swizzle the column, "
      "or let threads of a warp walk along a row";
  finding.may_explain = context.share(extra(total) / kHopper.shared_passes);
  return finding;
}

Finding divergent(const CauseContext& context) {
  const Counts& total = context.total();
  const auto split = [](const Counts& counts) { return counts.divergent_branches; };
  const double lost = total.present_instructions - total.thread_instructions;
  Finding finding;
  finding.lines = heaviest(context, split);
  finding.metric = "active_threads_per_warp";
  finding.value = quotient(total.thread_instructions, total.warp_instructions);
  finding.unit = "threads of 32";
  finding.meaning = percent_text(quotient(total.divergent_branches, total.branches)) +
                    " of the branches split the threads of a warp, which then runs the paths one "
                    "after another: " +
                    percent_text(quotient(lost, total.present_instructions)) +
                    " of the thread slots are idle";
  finding.advice = at_lines(finding.lines) +
                   "branch on values that are equal in a warp (blockIdx, threadIdx.x / 32), sort "
                   "the work so that neighbours do the same, or compute both sides and select";
  finding.may_explain = context.share(lost / kWarpSize / kHopper.issue);
  return finding;
}

Finding partial_warps(const CauseContext& context) {
  const Counts& total = context.total();
  const double lost = kWarpSize * total.warp_instructions - total.present_instructions;
  Finding finding;
  finding.metric = "threads_per_warp";
  finding.value = quotient(total.present_instructions, total.warp_instructions);
  finding.unit = "threads of 32";
  finding.meaning = "the block has warps that are not full: " +
                    percent_text(quotient(lost, kWarpSize * total.warp_instructions)) +
                    " of the thread slots belong to no thread";
  finding.advice = "make the number of threads of a block a multiple of 32";
  finding.may_explain = context.share(lost / kWarpSize / kHopper.issue);
  return finding;
}

Finding local_memory(const CauseContext& context) {
  const auto local = static_cast<std::size_t>(MemorySpace::kLocal);
  Finding finding;
  finding.lines = heaviest(context, [&](const Counts& counts) { return counts.bytes[local]; });
  finding.metric = "local_bytes";
  finding.value = context.total().bytes[local];
  finding.unit = "bytes";
  finding.meaning =
      "threads read and write arrays of their own that are not in registers, as their indices are "
      "known only at run time";
  finding.advice =
      at_lines(finding.lines) +
      "unroll the loops over the array (#pragma unroll, constant bounds), or keep it in "
      "shared memory";
  finding.may_explain = context.share(finding.value / kSectorBytes / kHopper.sectors);
  return finding;
}

/// The part of the time that the memory system was busy with threads' own memory, as counted.
double busy_with_local(const CauseContext& context) {
  const MemoryCounts memory = context.input.memory.value_or(MemoryCounts{});
  return memory.busy * memory.local_share;
}

Finding spills(const CauseContext& context) {
  Finding finding;
  double threads = 0;
  for (const LaunchShape& launch : context.input.launches) {
    finding.value = std::max(finding.value, static_cast<double>(launch.spill_bytes));
    threads += launch.blocks * launch.threads;
  }
  // Where in the code the spills lie is not known: as often as the mean instruction runs.
  const double repeats =
      std::max(1.0, quotient(context.total().thread_instructions * context.input.scale,
                             threads * context.input.counts.static_instructions));
  finding.metric = "spill_bytes";
  finding.unit = "bytes a thread";
  finding.meaning = "the compiler ran out of registers: it writes " + three_digits(finding.value) +
                    " bytes of each thread's values to memory, and reads them back";
  finding.advice =
      "let a thread hold less: smaller tiles, less unrolling, shared memory; or allow it more "
      "registers by __launch_bounds__ with fewer threads";
  constexpr double kThereAndBack = 2;
  const double bytes = kThereAndBack * std::max(0.0, finding.value) * threads * repeats;
  const double modelled =
      context.model.share(bytes / kSectorBytes / kHopper.sectors / context.model.sms);
  finding.may_explain = bytes > 0 ? std::max(modelled, busy_with_local(context)) : 0;
  return finding;
}

Finding compute_bound(const CauseContext& context) {
  const Model& model = context.model;
  const Counts& total = context.total();
  const double arithmetic = model.cycles[static_cast<std::size_t>(Part::kArithmetic)];
  const double busy = std::max(arithmetic, model.cycles[static_cast<std::size_t>(Part::kIssue)]);
  // Idle threads take time that arithmetic does not need.
  const double useful =
      busy * quotient(total.thread_instructions, kWarpSize * total.warp_instructions);
  const double others = next_longest(model, {Part::kIssue, Part::kArithmetic});
  const auto busiest = static_cast<std::size_t>(model.busiest);
  Finding finding;
  finding.lines =
      heaviest(context, [&](const Counts& counts) { return counts.instructions[busiest]; });
  finding.metric = "flops_per_byte";
  finding.value = quotient(model.flops, model.bytes);
  finding.unit = "operations per byte";
  finding.meaning = std::string("arithmetic sets the pace (") + kInstrClassNames[busiest] +
                    " most): memory alone would take " + percent_text(quotient(others, busy)) +
                    " of that time";
  finding.advice = at_lines(finding.lines) +
                   "do less: hoist repeated work, use fused multiply-adds, fast intrinsics, a "
                   "narrower type, or tensor cores for products of matrices";
  finding.may_explain = model.share(useful - others);
  return finding;
}

/// The time that waiting would take if the SMs had all the warps that the launches give them.
double latency_when_full(const Model& model) {
  return model.cycles[static_cast<std::size_t>(Part::kLatency)] * model.resident_warps /
         model.possible_warps;
}

Finding latency_bound(const CauseContext& context) {
  const Model& model = context.model;
  const double latency = latency_when_full(model);
  Finding finding;
  finding.lines = heaviest(context, [](const Counts& counts) { return counts.latency_cycles; });
  finding.metric = "resident_warps";
  finding.value = model.resident_warps;
  finding.unit = "warps of " + three_digits(kHopper.warps);
  finding.meaning = "too few loads are in flight: " + three_digits(model.resident_warps) +
                    " warps on each of " + three_digits(model.sms) +
                    " SMs wait for what they loaded, and nothing else runs meanwhile";
  finding.advice =
      at_lines(finding.lines) +
      "launch more blocks or threads, load several independent values before the first "
      "is used (unroll, vectors, prefetch), or break the chain of dependent loads";
  finding.may_explain = model.share(latency - next_longest(model, {Part::kLatency}));
  return finding;
}

/// The launch with the least occupancy; null when that is not known.
const LaunchShape* emptiest(const CauseContext& context) {
  const LaunchShape* least = nullptr;
  for (const LaunchShape& launch : context.input.launches) {
    if (launch.occupancy && (least == nullptr || *launch.occupancy < *least->occupancy)) {
      least = &launch;
    }
  }
  return least;
}

Finding low_occupancy(const CauseContext& context) {
  Finding finding;
  const LaunchShape* launch = emptiest(context);
  if (launch == nullptr || launch->occupancy_limit.empty()) {
    return finding;
  }
  const Model& model = context.model;
  finding.metric = "occupancy";
  finding.value = 100 * *launch->occupancy;
  finding.unit = "%";
  finding.meaning =
      "an SM holds " + percent_text(*launch->occupancy) +
      " of the warps that it could, limited by " + launch->occupancy_limit +
      (launch->registers > 0 ? " (" + std::to_string(launch->registers) + " a thread)" : "");
  finding.advice = launch->occupancy_limit == "registers"
                       ? "__launch_bounds__, smaller tiles of each thread, or fewer values that "
                         "are live at a time"
                       : "smaller tiles, or narrower types in them";
  // More warps would hide this much of the waiting.
  const double latency = model.cycles[static_cast<std::size_t>(Part::kLatency)];
  const double full = std::max(latency_when_full(model), next_longest(model, {Part::kLatency}));
  finding.may_explain = model.share(latency - full);
  return finding;
}

/// Explained in docs/profile.md. Of equal weights the earlier goes first.
constexpr std::array kRules = {
    CauseRule{"uncoalesced", uncoalesced},
    CauseRule{"bank_conflicts", bank_conflicts},
    CauseRule{"divergent", divergent},
    CauseRule{"partial_warps", partial_warps},
    CauseRule{"spills", spills},
    CauseRule{"local_memory", local_memory},
    CauseRule{"low_occupancy", low_occupancy},
    CauseRule{"latency_bound", latency_bound},
    CauseRule{"launch_bound", launch_bound},
    CauseRule{"compute_bound", compute_bound},
};

/// A cause that may explain less is left out: the model is not better than that.
constexpr double kLeastShare = 0.15;

}  // namespace

std::vector<Finding> findings_of(const ProfileInput& input, const Model& model) {
  const CauseContext context{input, model};
  const std::span<const CauseRule> rules = input.tiles.empty() ? std::span(kRules) : tile_rules();
  std::vector<Finding> findings;
  for (const CauseRule& rule : rules) {
    Finding finding = rule.find(context);
    if (finding.may_explain >= kLeastShare) {
      finding.cause = rule.cause;
      findings.push_back(std::move(finding));
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.may_explain > b.may_explain;
  });
  findings.resize(std::min(findings.size(), kMostFindings));
  return findings;
}

}  // namespace ws
