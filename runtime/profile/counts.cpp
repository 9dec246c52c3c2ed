#include "runtime/profile/counts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "runtime/profile/machine.h"

namespace ws {
namespace {

double ratio(double all, double counted) {
  return counted > 0 ? all / counted : 0;
}

/// How much more there is than was counted, by entry; kNone of a stretch: in the whole plan.
class Scale {
 public:
  Scale(std::size_t entries, const ProfileCounters& counters,
        const std::vector<std::size_t>& entry_of_step)
      : work_(entries),
        sampled_(entries) {
    for (std::size_t i = 0; i < counters.steps.size() && i < entry_of_step.size(); ++i) {
      const StepCounters& step = counters.steps[i];
      work_.at(entry_of_step[i]) += static_cast<double>(step.work);
      sampled_.at(entry_of_step[i]) += static_cast<double>(step.sampled_work);
    }
  }

  [[nodiscard]] double of(std::uint32_t entry) const {
    return entry < work_.size() ? ratio(work_[entry], sampled_[entry])
                                : ratio(std::accumulate(work_.begin(), work_.end(), 0.0),
                                        std::accumulate(sampled_.begin(), sampled_.end(), 0.0));
  }

  [[nodiscard]] double work(std::size_t entry) const { return work_.at(entry); }

 private:
  std::vector<double> work_;
  std::vector<double> sampled_;
};

StepCounts step_counts(const StepCounters& step, std::size_t entry, const Scale& scale) {
  const auto blocks = static_cast<double>(step.blocks);
  const auto sampled = static_cast<double>(step.sampled);
  const auto work = static_cast<double>(step.work);
  const double mean = ratio(work, blocks);
  StepCounts counts;
  counts.entry = entry;
  counts.blocks = blocks;
  counts.share = ratio(work, scale.work(entry));
  counts.unevenness = ratio(mean, ratio(static_cast<double>(step.sampled_work), sampled));
  counts.chain = ratio(static_cast<double>(step.chain), sampled) * counts.unevenness;
  counts.longest = std::max(1.0, ratio(static_cast<double>(step.longest_work), mean));
  counts.hottest =
      static_cast<double>(step.hottest) * ratio(work, static_cast<double>(step.sampled_work));
  return counts;
}

/// Adds up by line and by entry.
class Lines {
 public:
  explicit Lines(const Image& image)
      : image_(image),
        entries_(image.entries.size()) {}

  /// @param entry  kNone: a function of several, which is added to the first.
  void add(std::uint32_t entry, std::uint32_t site, const Counts& counts, double factor) {
    const Site none;
    const Site& place = site < image_.sites.size() ? image_.sites[site] : none;
    lines_[{place.region, place.line}].add(counts, factor);
    if (!entries_.empty()) {
      entries_[entry < entries_.size() ? entry : 0].add(counts, factor);
    }
  }

  [[nodiscard]] PlanCounts take() const {
    PlanCounts plan;
    for (const auto& [place, counts] : lines_) {
      plan.lines.push_back({place.first, place.second, counts});
      plan.total.add(counts);
    }
    plan.entries = entries_;
    return plan;
  }

 private:
  const Image& image_;
  std::map<std::pair<std::string, int>, Counts> lines_;
  std::vector<Counts> entries_;
};

Counts access_counts(const AccessCounters& counters) {
  Counts counts;
  for (std::size_t i = 0; i < kMemorySpaces; ++i) {
    counts.requests[i] = static_cast<double>(counters.requests[i]);
    counts.bytes[i] = static_cast<double>(counters.bytes[i]);
  }
  counts.sectors = static_cast<double>(counters.sectors);
  counts.ideal_sectors = static_cast<double>(counters.ideal_sectors);
  counts.lines = static_cast<double>(counters.lines);
  counts.l2_sectors = static_cast<double>(counters.l2_sectors);
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
  counts.latency_cycles = counts.warp_instructions * kHopper.latency.arithmetic;
  if (row.kind == InstrClass::kBarrier) {
    counts.latency_cycles += counts.warp_instructions * kHopper.latency.barrier;
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
    const double latency = global ? kHopper.latency.beyond : (shared ? kHopper.latency.shared : 0);
    if (latency > longest) {
      longest = latency;
      site = access.site;
    }
  }
  if (longest > 0) {
    Counts wait;
    wait.latency_cycles = longest * static_cast<double>(warps);
    lines.add(stretch.entry, site, wait, scale);
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
      lines.add(stretch.entry, row.site, instruction_counts(row, ran), factor);
    }
    for (std::uint32_t k = 0; k < stretch.accesses; ++k) {
      const std::size_t index = std::size_t{stretch.first_access} + k;
      lines.add(stretch.entry, map.accesses.at(index).site,
                access_counts(counters.accesses.at(index)), factor);
    }
    if (stretch.branch_site != ProfiledStretch::kNone) {
      Counts branch;
      branch.branches = static_cast<double>(ran.warps);
      branch.divergent_branches = static_cast<double>(ran.divergent);
      lines.add(stretch.entry, stretch.branch_site, branch, factor);
    }
    add_load_latency(map, stretch, counters, ran.warps, factor, lines);
  }
  PlanCounts plan = lines.take();
  for (std::size_t i = 0; i < counters.steps.size() && i < entry_of_step.size(); ++i) {
    plan.steps.push_back(step_counts(counters.steps[i], entry_of_step[i], scale));
    plan.blocks += static_cast<double>(counters.steps[i].blocks);
    plan.sampled += static_cast<double>(counters.steps[i].sampled);
  }
  plan.static_instructions = once;
  return plan;
}

}  // namespace ws
