#include "runtime/profile/counts.h"

#include <map>
#include <utility>

#include "runtime/profile/machine.h"

namespace ws {
namespace {

double ratio(double blocks, double sampled) {
  return sampled > 0 ? blocks / sampled : 0;
}

/// How much more there is than was counted, by entry; kNone of a stretch: in the whole plan.
class Scale {
 public:
  Scale(std::size_t entries, const ProfileCounters& counters,
        const std::vector<std::size_t>& entry_of_step)
      : blocks_(entries),
        sampled_(entries) {
    for (std::size_t i = 0; i < counters.steps.size() && i < entry_of_step.size(); ++i) {
      const auto blocks = static_cast<double>(counters.steps[i].blocks);
      const auto sampled = static_cast<double>(counters.steps[i].sampled);
      blocks_.at(entry_of_step[i]) += blocks;
      sampled_.at(entry_of_step[i]) += sampled;
      all_blocks += blocks;
      all_sampled += sampled;
    }
  }

  [[nodiscard]] double of(std::uint32_t entry) const {
    return entry < blocks_.size() ? ratio(blocks_[entry], sampled_[entry])
                                  : ratio(all_blocks, all_sampled);
  }

  double all_blocks = 0;
  double all_sampled = 0;

 private:
  std::vector<double> blocks_;
  std::vector<double> sampled_;
};

class Lines {
 public:
  explicit Lines(const Image& image)
      : image_(image) {}

  Counts& at(std::uint32_t site) {
    const Site none;
    const Site& place = site < image_.sites.size() ? image_.sites[site] : none;
    return lines_[{place.region, place.line}];
  }

  [[nodiscard]] PlanCounts take() const {
    PlanCounts plan;
    for (const auto& [place, counts] : lines_) {
      plan.lines.push_back({place.first, place.second, counts});
      plan.total.add(counts);
    }
    return plan;
  }

 private:
  const Image& image_;
  std::map<std::pair<std::string, int>, Counts> lines_;
};

Counts access_counts(const AccessCounters& counters) {
  Counts counts;
  for (std::size_t i = 0; i < kMemorySpaces; ++i) {
    counts.requests[i] = static_cast<double>(counters.requests[i]);
    counts.bytes[i] = static_cast<double>(counters.bytes[i]);
  }
  counts.sectors = static_cast<double>(counters.sectors);
  counts.ideal_sectors = static_cast<double>(counters.ideal_sectors);
  counts.passes = static_cast<double>(counters.passes);
  counts.ideal_passes = static_cast<double>(counters.ideal_passes);
  return counts;
}

Counts instruction_counts(const ProfiledInstructions& row, const StretchCounters& ran) {
  const auto warps = static_cast<double>(ran.warps);
  const auto threads = static_cast<double>(ran.threads);
  Counts counts;
  counts.warp_instructions = warps * row.count;
  counts.instructions[static_cast<std::size_t>(row.kind) % kInstrClasses] = warps * row.count;
  counts.thread_instructions = threads * row.count;
  counts.present_instructions = static_cast<double>(ran.present) * row.count;
  counts.flops = threads * row.flops;
  counts.latency_cycles = counts.warp_instructions * kHopper.instruction_latency;
  if (row.kind == InstrClass::kBarrier) {
    counts.latency_cycles += counts.warp_instructions * kHopper.barrier_latency;
  }
  return counts;
}

/// Loads of one stretch are on their way together: it waits for the slowest, once.
void add_load_latency(const ProfileMap& map, const ProfiledStretch& stretch,
                      const ProfileCounters& counters, std::uint64_t warps, double scale,
                      Lines& lines) {
  double longest = 0;
  std::uint32_t site = ProfiledStretch::kNone;
  for (std::uint32_t i = 0; i < stretch.accesses; ++i) {
    const std::size_t index = std::size_t{stretch.first_access} + i;
    const ProfiledAccess& access = map.accesses.at(index);
    const AccessCounters& ran = counters.accesses.at(index);
    if (access.kind == AccessKind::kStore) {
      continue;  // Nobody waits for it.
    }
    const bool global = ran.requests[static_cast<std::size_t>(MemorySpace::kGlobal)] > 0;
    const bool shared = ran.requests[static_cast<std::size_t>(MemorySpace::kShared)] > 0;
    const double latency = global ? kHopper.global_latency : (shared ? kHopper.shared_latency : 0);
    if (latency > longest) {
      longest = latency;
      site = access.site;
    }
  }
  if (longest > 0) {
    lines.at(site).latency_cycles += longest * static_cast<double>(warps) * scale;
  }
}

}  // namespace

void Counts::add(const Counts& other, double factor) {
  for (std::size_t i = 0; i < kInstrClasses; ++i) {
    instructions[i] += factor * other.instructions[i];
  }
  for (std::size_t i = 0; i < kMemorySpaces; ++i) {
    requests[i] += factor * other.requests[i];
    bytes[i] += factor * other.bytes[i];
  }
  for (const CountRow& row : kCountRows) {
    this->*row.value += factor * (other.*row.value);
  }
  present_instructions += factor * other.present_instructions;
  latency_cycles += factor * other.latency_cycles;
}

PlanCounts put_together(const Image& image, const ProfileCounters& counters,
                        const std::vector<std::size_t>& entry_of_step) {
  const Scale scale(image.entries.size(), counters, entry_of_step);
  Lines lines(image);
  const ProfileMap& map = image.profile;
  double once = 0;
  for (std::size_t i = 0; i < map.stretches.size(); ++i) {
    const ProfiledStretch& stretch = map.stretches[i];
    const StretchCounters& ran = counters.stretches[i];
    const double factor = scale.of(stretch.entry);
    for (const ProfiledInstructions& row : stretch.instructions) {
      once += ran.warps > 0 ? row.count : 0;
      lines.at(row.site).add(instruction_counts(row, ran), factor);
    }
    for (std::uint32_t k = 0; k < stretch.accesses; ++k) {
      const std::size_t index = std::size_t{stretch.first_access} + k;
      lines.at(map.accesses.at(index).site).add(access_counts(counters.accesses.at(index)), factor);
    }
    if (stretch.branch_site != ProfiledStretch::kNone) {
      Counts branch;
      branch.branches = static_cast<double>(ran.warps);
      branch.divergent_branches = static_cast<double>(ran.divergent);
      lines.at(stretch.branch_site).add(branch, factor);
    }
    add_load_latency(map, stretch, counters, ran.warps, factor, lines);
  }
  PlanCounts plan = lines.take();
  plan.blocks = scale.all_blocks;
  plan.sampled = scale.all_sampled;
  plan.static_instructions = once;
  return plan;
}

}  // namespace ws
