#include "runtime/profile/tile_counts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/base/units.h"
#include "runtime/profile/machine.h"

namespace ws {
namespace {

constexpr double kTensorFlops = 4096;  // One instruction of kTensor has so many, on 16-bit numbers.
constexpr double kLineSectors = 4;     // Sectors of a line of 128 bytes.
constexpr double kVectorBytes = 16;    // A thread loads or stores so much at once.

/// How many times longer a product of such numbers takes than one of 16-bit numbers.
double product_cost(DType type) {
  switch (type) {
    case DType::kF64:
      return 16;
    case DType::kF32:
    case DType::kTf32:
      return 2;
    default:
      return size_of(type) == 1 ? 0.5 : 1;
  }
}

InstrClass class_of(const TileWork& row) {
  switch (row.kind) {
    case TileWorkKind::kProduct:
      return InstrClass::kTensor;
    case TileWorkKind::kSpecial:
      return InstrClass::kSpecial;
    case TileWorkKind::kConvert:
      return InstrClass::kConvert;
    default:
      break;
  }
  if (!is_float(row.type)) {
    return InstrClass::kInteger;
  }
  return row.type == DType::kF64 ? InstrClass::kF64
         : size_of(row.type) < 4 ? InstrClass::kF16
                                 : InstrClass::kF32;
}

Counts tile_access_counts(const TileWork& row) {
  Counts counts;
  const auto global = static_cast<std::size_t>(MemorySpace::kGlobal);
  const double bytes = row.used * static_cast<double>(size_of(row.type));
  counts.bytes[global] = bytes;
  // Scattered elements are asked for one by one.
  counts.requests[global] =
      std::max(bytes / kVectorBytes, row.sectors > row.ideal_sectors ? row.used : 0) / kWarpSize;
  counts.sectors = row.sectors;
  counts.ideal_sectors = row.ideal_sectors;
  counts.lines = row.sectors / kLineSectors;
  counts.l2_sectors = row.sectors;
  return counts;
}

Counts counts_of(const TileWork& row) {
  Counts counts = is_access(row.kind) ? tile_access_counts(row) : Counts();
  const double instructions =
      is_access(row.kind) ? counts.requests[static_cast<std::size_t>(MemorySpace::kGlobal)]
      : row.kind == TileWorkKind::kProduct ? product_cost(row.type) * row.flops / kTensorFlops
                                           : row.elements / kWarpSize;
  const InstrClass kind = is_access(row.kind) ? InstrClass::kMemory : class_of(row);
  counts.instructions[static_cast<std::size_t>(kind)] = instructions;
  counts.warp_instructions = instructions;
  counts.thread_instructions = kWarpSize * instructions;
  counts.present_instructions = kWarpSize * instructions;
  counts.flops = row.flops;
  return counts;
}

StepCounts program_counts(const TileProgramWork& program, std::size_t entry, double entry_work) {
  StepCounts step;
  const double launches = std::max(1.0, program.launches);
  const double mean = program.blocks > 0 ? program.work / program.blocks : 0;
  step.entry = entry;
  step.blocks = program.blocks / launches;
  step.share = entry_work > 0 ? program.work / launches / entry_work : 0;
  step.longest = mean > 0 ? std::max(1.0, program.longest_work / mean) : 1;
  return step;
}

/// For each program the entry that its launches start.
std::vector<std::size_t> entries_of_programs(const TileCounters& counters,
                                             const std::vector<std::size_t>& entry_of_step) {
  std::vector<std::size_t> entries(counters.programs.size());
  for (std::size_t i = 0; i < counters.steps.size() && i < entry_of_step.size(); ++i) {
    entries.at(counters.steps[i]) = entry_of_step[i];
  }
  return entries;
}

}  // namespace

PlanCounts put_together(const TileCounters& counters, std::size_t entries,
                        const std::vector<std::size_t>& entry_of_step) {
  PlanCounts plan;
  plan.entries.resize(entries);
  const std::vector<std::size_t> entry_of = entries_of_programs(counters, entry_of_step);
  std::map<std::int64_t, Counts> lines;
  for (const TileWork& row : counters.rows) {
    const double launches = counters.programs.at(row.program).launches;
    const Counts counts = counts_of(row);
    lines[row.line].add(counts, launches);
    plan.total.add(counts, launches);
    plan.entries.at(entry_of[row.program]).add(counts, launches);
  }
  for (const auto& [line, counts] : lines) {
    plan.lines.push_back({line > 0 ? "source" : "", static_cast<int>(line), counts});
  }
  std::vector<double> work(entries);
  for (std::size_t i = 0; i < counters.programs.size(); ++i) {
    work.at(entry_of[i]) += counters.programs[i].work;
    plan.blocks += counters.programs[i].blocks;
  }
  plan.sampled = plan.blocks;
  for (const std::size_t program : counters.steps) {
    const std::size_t entry = entry_of[program];
    plan.steps.push_back(program_counts(counters.programs.at(program), entry, work[entry]));
  }
  return plan;
}

std::vector<TileWork> of_all_launches(const TileCounters& counters) {
  std::map<std::tuple<std::int64_t, TileWorkKind, DType>, TileWork> sums;
  for (const TileWork& row : counters.rows) {
    const double launches = counters.programs.at(row.program).launches;
    TileWork& sum = sums[{row.line, row.kind, row.type}];
    sum.line = row.line;
    sum.kind = row.kind;
    sum.type = row.type;
    for (double TileWork::* const amount : TileWork::amounts()) {
      sum.*amount += launches * (row.*amount);
    }
  }
  std::vector<TileWork> rows;
  rows.reserve(sums.size());
  for (const auto& [key, sum] : sums) {
    rows.push_back(sum);
  }
  return rows;
}

}  // namespace ws
