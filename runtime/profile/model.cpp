#include "runtime/profile/model.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

constexpr double kCyclesPerUs = 1e3;  // At 1 GHz.
/// Multiply-adds of f32 of all SMs: two operations each.
constexpr double kPeakFlopsPerCycle = 132 * 128 * 2;
/// Registers of a thread for addresses, counters and what a compiler keeps beside the values.
constexpr double kOtherRegisters = 10;
constexpr double kMostBlocks = 32;  // That an SM holds.
constexpr double kRounding = 1e-6;
/// The share of a part's time that is not hidden behind the longest one.
constexpr double kNotHidden = 0.2;

std::size_t index(Part part) {
  return static_cast<std::size_t>(part);
}

std::size_t index(MemorySpace space) {
  return static_cast<std::size_t>(space);
}

/// Busiest pipe; memory and control instructions have parts of their own.
double arithmetic_cycles(const Counts& counts, InstrClass& busiest) {
  double longest = 0;
  for (const InstrClass kind :
       {InstrClass::kF16, InstrClass::kF32, InstrClass::kF64, InstrClass::kInteger,
        InstrClass::kSpecial, InstrClass::kConvert, InstrClass::kTensor}) {
    const auto i = static_cast<std::size_t>(kind);
    const double cycles = counts.instructions[i] / kHopper.rate[i];
    if (cycles > longest) {
      longest = cycles;
      busiest = kind;
    }
  }
  return longest;
}

/// The most operations that all SMs do in a cycle: those of tensor cores where the kernel has
/// products of tiles, for numbers of their types.
double peak_flops(const ProfileInput& input) {
  const auto tensor = static_cast<std::size_t>(InstrClass::kTensor);
  double products = 0;
  for (const TileWork& row : input.tiles) {
    products += row.kind == TileWorkKind::kProduct ? row.flops : 0;
  }
  const double instructions = input.counts.total.instructions[tensor];
  return products > 0 && instructions > 0
             ? kHopper.sms * kHopper.rate[tensor] * products / instructions
             : kPeakFlopsPerCycle;
}

/// Bytes that must come from memory: once in each launch, whatever the caches do.
double compulsory_bytes(const ProfileInput& input) {
  const double touched = input.counts.total.sectors * kSectorBytes;
  const double launches = std::max<double>(1, static_cast<double>(input.launches.size()));
  const double counted = std::min(touched, input.footprint_bytes * launches) * input.scale;
  return input.bytes.value_or(counted);
}

/// A launch: its place on the GPU, and its part of what was counted.
struct Step {
  const LaunchShape* launch = nullptr;
  Counts counts;
  StepCounts own;      ///< `chain`: of a block of the launch that was asked about.
  double sms = 1;      ///< That have work.
  double given = 1;    ///< Blocks of the SM that has most.
  double held = 1;     ///< Those of them that it holds at a time.
  double warps = 1;    ///< The warps of those.
  double busiest = 1;  ///< The share of all work that is that SM's.
};

double block_warps(const LaunchShape& launch) {
  return std::max(1.0, std::ceil(launch.threads / 32));
}

/// The blocks that fit an SM.
double blocks_held(const LaunchShape& launch) {
  const double warps = block_warps(launch);
  double blocks = std::floor(kHopper.warps * launch.occupancy.value_or(1) / warps + kRounding);
  if (launch.registers < 0 && launch.live_words > 0) {
    const double words = std::clamp(launch.live_words + kOtherRegisters, 32.0, 255.0);
    blocks = std::min(blocks, std::floor(kHopper.registers / (words * 32 * warps)));
  }
  return std::clamp(blocks, 1.0, kMostBlocks);
}

void place(Step& step) {
  const LaunchShape& launch = *step.launch;
  const double blocks = std::max(1.0, launch.blocks);
  step.sms = std::min(blocks, kHopper.sms);
  step.given = std::ceil(blocks / kHopper.sms);
  step.held = std::min(step.given, blocks_held(launch));
  step.warps = step.held * block_warps(launch);
  step.busiest = std::max(step.given, step.own.longest) / blocks;
}

std::vector<Step> steps_of(const ProfileInput& input) {
  const PlanCounts& plan = input.counts;
  const bool by_step = plan.steps.size() == input.launches.size();
  double blocks = 0;
  for (const LaunchShape& launch : input.launches) {
    blocks += launch.blocks;
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < input.launches.size(); ++i) {
    Step step;
    step.launch = &input.launches[i];
    if (by_step) {
      step.own = plan.steps[i];
      step.counts.add(plan.entries.at(step.own.entry), step.own.share * input.scale);
    } else {  // The larger workload has another number of launches: equal blocks.
      step.own.blocks = plan.blocks;
      step.own.share = step.launch->blocks / std::max(1.0, blocks);
      for (const StepCounts& one : plan.steps) {
        step.own.chain += one.chain * one.blocks / std::max(1.0, plan.blocks);
        step.own.longest = std::max(step.own.longest, one.longest);
      }
      step.counts.add(plan.total, step.own.share * input.scale);
    }
    const double asked = std::max(1.0, by_step ? step.launch->blocks : blocks);
    step.own.chain *= input.scale * step.own.blocks / asked;
    step.own.hottest *= input.scale;
    place(step);
    steps.push_back(step);
  }
  return steps;
}

using Cycles = std::array<double, kParts>;

/// Each part of the GPU for itself. @param bytes  From memory.
Cycles cycles_of(const Step& step, double bytes, InstrClass& busiest) {
  const Counts& counts = step.counts;
  Cycles cycles{};
  const auto set = [&](Part part, double value) { cycles[index(part)] = value; };
  // A warp issues on one of four schedulers: fewer warps leave some of them idle.
  const double schedulers = std::min(1.0, step.warps / kHopper.issue);
  set(Part::kIssue, counts.warp_instructions / kHopper.issue * step.busiest / schedulers);
  set(Part::kArithmetic, arithmetic_cycles(counts, busiest) * step.busiest / schedulers);
  const double others =
      counts.requests[index(MemorySpace::kConstant)] + counts.requests[index(MemorySpace::kLocal)];
  set(Part::kLoadStore,
      (counts.passes / kHopper.shared_passes + counts.lines / kHopper.lines + others) *
          step.busiest);
  const double sectors =
      counts.l2_sectors + counts.bytes[index(MemorySpace::kLocal)] / kSectorBytes;
  set(Part::kL2, std::max({sectors * step.busiest / kHopper.sectors,
                           sectors * kSectorBytes / kHopper.l2_bytes_per_cycle,
                           step.own.hottest / kHopper.updates}));
  // However few SMs ask: what one of them can get is kL2's rate.
  set(Part::kDram, bytes / (kHopper.dram_bytes * kHopper.sms));
  set(Part::kLatency, step.own.chain * std::max(step.given / step.held, step.own.longest));
  return cycles;
}

/// The parts work at the same time, but not wholly: of what the others need some is added.
double together(const Cycles& cycles) {
  double sum = 0;
  double longest = 0;
  for (const double part : cycles) {
    sum += part;
    longest = std::max(longest, part);
  }
  return longest + kNotHidden * (sum - longest);
}

/// Finds the means over the launches, which findings weigh.
void find_parallelism(const std::vector<Step>& steps, Model& model) {
  double sms = 0;
  double warps = 0;
  double possible = 0;
  for (const Step& step : steps) {
    sms += step.sms;
    warps += step.warps;
    possible += std::min(kHopper.warps, step.given * block_warps(*step.launch));
  }
  const auto launches = std::max<double>(1, static_cast<double>(steps.size()));
  model.sms = std::max(1.0, sms / launches);
  model.resident_warps = std::max(1.0, warps / launches);
  model.possible_warps = std::max(model.resident_warps, possible / launches);
}

std::string limiter_of(const Model& model, Part longest) {
  if (model.launch_us > model.us(longest)) {
    return "launch";
  }
  switch (longest) {
    case Part::kIssue:
    case Part::kArithmetic:
      return "compute";
    case Part::kLoadStore:
      return "load_store";
    case Part::kLatency:
      return "latency";
    case Part::kL2:
    case Part::kDram:
      break;
  }
  return "memory";
}

}  // namespace

double Model::us(Part part) const {
  return cycles[index(part)] / (kHopper.ghz * kCyclesPerUs);
}

double Model::share(double sm_cycles) const {
  const double time = total_us * kHopper.ghz * kCyclesPerUs;
  return time > 0 ? std::clamp(sm_cycles / time, 0.0, 1.0) : 0;
}

Model model_of(const ProfileInput& input) {
  Model model;
  const std::vector<Step> steps = steps_of(input);
  find_parallelism(steps, model);
  model.bytes = compulsory_bytes(input);
  double sectors = 0;
  for (const Step& step : steps) {
    sectors += step.counts.l2_sectors;
  }
  double cycles = 0;
  double most = 0;
  for (const Step& step : steps) {
    const double share =
        sectors > 0 ? step.counts.l2_sectors / sectors : 1.0 / static_cast<double>(steps.size());
    InstrClass busiest = InstrClass::kOther;
    const Cycles parts = cycles_of(step, share * model.bytes, busiest);
    for (std::size_t i = 0; i < kParts; ++i) {
      model.cycles[i] += parts[i];
    }
    if (parts[index(Part::kArithmetic)] >= most) {
      most = parts[index(Part::kArithmetic)];
      model.busiest = busiest;
    }
    cycles += together(parts);
  }
  const double gigacycles = kHopper.ghz * kCyclesPerUs;
  model.work_us = cycles / gigacycles;
  const auto longest = static_cast<Part>(
      std::max_element(model.cycles.begin(), model.cycles.end()) - model.cycles.begin());
  model.launch_us = kHopper.launch_us * static_cast<double>(input.launches.size());
  model.total_us = std::max(model.work_us + model.launch_us, input.measured_us.value_or(0));
  model.limiter = limiter_of(model, longest);
  model.flops = input.flops.value_or(input.counts.total.flops * input.scale);
  model.peak_gflops = peak_flops(input) * kHopper.ghz;
  const double compute_us = model.flops / kCyclesPerUs / model.peak_gflops;
  const double memory_us = model.bytes / (kHopper.dram_bytes * kHopper.sms) / gigacycles;
  model.roof_us = std::max(compute_us, memory_us);
  model.memory_roof = memory_us >= compute_us;
  return model;
}

}  // namespace ws
