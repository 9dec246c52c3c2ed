#include "runtime/profile/modelled_speedup.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

/// Blocks differ at the edges of a workload, by less than this.
constexpr double kMostUneven = 1.25;
/// A thread of an H100 has 255. The code's order is not the GPU compiler's.
constexpr double kMostLiveWords = 224;
/// An H100's second instruction cache has 128 KiB, and an instruction 16 bytes (Jia et al. 2018,
/// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking"). Half of that.
constexpr double kMostInstructions = 4096;

std::string whole(double value) {
  return std::to_string(std::lround(value));
}

/// Why the model cannot say how long it takes; empty where it can.
std::string unknown_of(const ProfileInput& input) {
  for (const StepCounts& step : input.counts.steps) {
    if (step.unevenness > kMostUneven || step.unevenness * kMostUneven < 1) {
      return "its blocks differ too much to count some for all";
    }
  }
  for (const LaunchShape& launch : input.launches) {
    if (launch.registers < 0 && launch.live_words > kMostLiveWords) {
      return "a thread keeps " + whole(launch.live_words) +
             " values at a time, more than the registers of a GPU are sure to hold";
    }
  }
  if (input.counts.static_instructions > kMostInstructions) {
    return "it runs " + whole(input.counts.static_instructions) +
           " different instructions, more than the caches of a GPU are sure to hold";
  }
  return {};
}

/// The time by the model in the worst case: data that does not fit L2 is read from memory as often
/// as it is asked for.
double longest_us(const ProfileInput& input, const Model& model) {
  if (model.bytes <= kHopper.l2_bytes / 2) {
    return model.total_us;
  }
  ProfileInput worst = input;
  worst.bytes = std::max(model.bytes, input.counts.total.l2_sectors * kSectorBytes * input.scale);
  return model_of(worst).total_us;
}

}  // namespace

ModelledSpeedup modelled_speedup(const std::vector<CountedPair>& pairs) {
  ModelledSpeedup speedup;
  double value = 0;
  double low = 0;
  double high = 0;
  bool works = false;
  for (const CountedPair& pair : pairs) {
    if (std::string why = unknown_of(pair.kernel); !why.empty()) {
      speedup.unknown = "the kernel: " + why;
      return speedup;
    }
    if (std::string why = unknown_of(pair.baseline); !why.empty()) {
      speedup.unknown = "the baseline: " + why;
      return speedup;
    }
    const Model kernel = model_of(pair.kernel);
    const Model baseline = model_of(pair.baseline);
    works = works || kernel.work_us > kernel.launch_us || baseline.work_us > baseline.launch_us;
    value += std::log(baseline.total_us / kernel.total_us);
    low += std::log(baseline.total_us / longest_us(pair.kernel, kernel));
    high += std::log(longest_us(pair.baseline, baseline) / kernel.total_us);
  }
  if (!works) {
    speedup.unknown =
        "the workloads are too small: on a GPU, launching takes longer than the work "
        "of the kernel and of the baseline";
    return speedup;
  }
  const auto workloads = static_cast<double>(pairs.size());
  speedup.value = std::exp(value / workloads);
  speedup.low = std::exp(low / workloads) / kModelError;
  speedup.high = std::exp(high / workloads) * kModelError;
  return speedup;
}

}  // namespace ws
