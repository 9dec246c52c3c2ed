#include "runtime/profile/model.h"

#include <algorithm>

namespace ws {
namespace {

constexpr double kCyclesPerUs = 1e3;  // At 1 GHz.
/// Multiply-adds of f32 of all SMs: two operations each.
constexpr double kPeakFlopsPerCycle = 132 * 128 * 2;

std::size_t index(Part part) {
  return static_cast<std::size_t>(part);
}

std::size_t index(MemorySpace space) {
  return static_cast<std::size_t>(space);
}

/// Busiest pipe; memory and control instructions have parts of their own.
double arithmetic_cycles(const Counts& counts, InstrClass& busiest) {
  double longest = 0;
  for (const InstrClass kind : {InstrClass::kF16, InstrClass::kF32, InstrClass::kF64,
                                InstrClass::kInteger, InstrClass::kSpecial, InstrClass::kConvert}) {
    const auto i = static_cast<std::size_t>(kind);
    const double cycles = counts.instructions[i] / kHopper.rate[i];
    if (cycles > longest) {
      longest = cycles;
      busiest = kind;
    }
  }
  return longest;
}

/// Bytes that must come from memory: once in each launch, whatever the caches do.
double compulsory_bytes(const ProfileInput& input) {
  const double touched = input.counts.total.sectors * kSectorBytes;
  const double launches = std::max<double>(1, static_cast<double>(input.launches.size()));
  const double counted = std::min(touched, input.footprint_bytes * launches) * input.scale;
  return input.bytes.value_or(counted);
}

void find_parallelism(const ProfileInput& input, Model& model) {
  double blocks = 0;
  double warps = 0;
  double possible = 0;
  for (const LaunchShape& launch : input.launches) {
    const double sms = std::clamp(launch.blocks, 1.0, kHopper.sms);
    const double block_warps = std::max(1.0, (launch.threads + 31) / 32);
    const double holds = std::max(block_warps, kHopper.warps * launch.occupancy.value_or(1));
    const double given = launch.blocks / sms * block_warps;
    blocks += sms;
    warps += std::min(holds, given);
    possible += std::min(kHopper.warps, given);
  }
  const auto launches = std::max<double>(1, static_cast<double>(input.launches.size()));
  model.sms = std::max(1.0, blocks / launches);
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
  const Counts& counts = input.counts.total;
  Model model;
  find_parallelism(input, model);
  const double per_sm = input.scale / model.sms;
  const auto set = [&](Part part, double cycles) { model.cycles[index(part)] = cycles * per_sm; };
  set(Part::kIssue, counts.warp_instructions / kHopper.issue);
  set(Part::kArithmetic, arithmetic_cycles(counts, model.busiest));
  const double other_requests =
      counts.requests[index(MemorySpace::kGlobal)] + counts.requests[index(MemorySpace::kConstant)];
  set(Part::kLoadStore, counts.passes / kHopper.shared_passes + other_requests);
  const double local_sectors = counts.bytes[index(MemorySpace::kLocal)] / kSectorBytes;
  set(Part::kL2, (counts.sectors + local_sectors) / kHopper.sectors);
  model.bytes = compulsory_bytes(input);
  // However few SMs ask: what one of them can get is kL2's rate.
  model.cycles[index(Part::kDram)] = model.bytes / (kHopper.dram_bytes * kHopper.sms);
  set(Part::kLatency, counts.latency_cycles / model.resident_warps);
  const auto longest = static_cast<Part>(
      std::max_element(model.cycles.begin(), model.cycles.end()) - model.cycles.begin());
  model.launch_us = kHopper.launch_us * static_cast<double>(input.launches.size());
  model.total_us = std::max(model.us(longest) + model.launch_us, input.measured_us.value_or(0));
  model.limiter = limiter_of(model, longest);
  model.flops = input.flops.value_or(counts.flops * input.scale);
  const double gigacycles = kHopper.ghz * kCyclesPerUs;
  const double compute_us = model.flops / kPeakFlopsPerCycle / gigacycles;
  const double memory_us = model.bytes / (kHopper.dram_bytes * kHopper.sms) / gigacycles;
  model.roof_us = std::max(compute_us, memory_us);
  model.memory_roof = memory_us >= compute_us;
  return model;
}

}  // namespace ws
