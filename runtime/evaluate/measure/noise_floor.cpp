#include "runtime/evaluate/measure/noise_floor.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/bench/statistics.h"
#include "runtime/evaluate/measure/noise_probe.h"
#include "runtime/evaluate/measure/paired_measurement.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr int kMeasurements = 8;
constexpr double kBudgetMs = 150;

/// A machine that was busy when the floor was measured is not busy for ever.
constexpr std::int64_t kKeptMs = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t kNoisyKeptMs = std::int64_t{10} * 60 * 1000;
constexpr double kNoisy = 0.15;
/// Two sessions with the same kernel have their buffers elsewhere in the device's memory, which the
/// probe, mostly arithmetic, does not show (docs/measurements/0003-gpu-tools.md).
constexpr double kLeastOfGpu = 0.01;
/// Nor does it show that two sessions with the same short kernel differ, for as long as they last,
/// because the times of events jump: by up to 0.55 us between sessions of a kernel of 45 us on an
/// H100 (docs/measurements/0005-gpu-figures.md).
constexpr double kLeastUsOfGpu = 0.6;

/// The number changes with what the floor means.
std::string floor_key(const DeviceInfo& device) {
  return "noise_floor/2/" + device.key() + "/" + device.name + "/" + device.arch;
}

}  // namespace

std::optional<double> NoiseFloors::stored(const DeviceInfo& device) {
  const std::string key = floor_key(device);
  const std::lock_guard lock(mutex_);
  auto at = known_.find(key);
  if (at == known_.end()) {
    const auto text = archive_.setting(key);
    const Json form = text && *text ? Json::parse(**text, nullptr, false) : Json();
    const bool usable = form.is_object() && form.contains("floor") && form.contains("at_ms");
    at = known_.emplace(key, usable ? Entry{form["floor"], form["at_ms"]} : Entry{}).first;
  }
  const std::int64_t kept = at->second.floor > kNoisy ? kNoisyKeptMs : kKeptMs;
  const bool fresh = unix_ms() - at->second.at_ms < kept;
  return fresh ? std::optional<double>(at->second.floor) : std::nullopt;
}

FairSemaphore& NoiseFloors::turn_of(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return turns_.try_emplace(key, 1).first->second;
}

Result<NoiseFloor> NoiseFloors::get(Backend& backend, const std::stop_token& stop) {
  WS_TRY(const DeviceInfo device, backend.info());
  if (device.emulated) {
    return NoiseFloor();
  }
  if (const auto known = stored(device)) {
    return NoiseFloor{*known, kLeastUsOfGpu};
  }
  WS_TRY(const FairSemaphore::Place turn, turn_of(floor_key(device)).enter(stop));
  if (const auto known = stored(device)) {  // Somebody measured it meanwhile.
    return NoiseFloor{*known, kLeastUsOfGpu};
  }
  WS_TRY(const Problem problem, noise_problem());
  const Workload workload{{{"n", 262144}, {"r", 4096}}, {}};
  WS_TRY(const Kernel probe, noise_probe(device, problem));
  WS_TRY(const Compiled compiled,
         compile_for(backend, problem, probe, workload, {}, {.build = Build::kFast}, stop));
  if (!compiled.ok()) {
    return fail(ErrorCode::kInternal, "the noise probe does not compile", {}, compiled.message);
  }
  std::vector<double> ratios;
  for (int i = 0; i < kMeasurements; ++i) {
    PairedMeasurementOptions options;
    options.secret = random_u64();
    options.paired.time_budget_ms = kBudgetMs;
    WS_TRY(const std::unique_ptr<PairedMeasurement> paired,
           PairedMeasurement::start(backend, problem, workload, compiled, compiled, options));
    WS_TRY(const PairedMeasurementResult result, paired->run(stop));
    if (!result.problem_found.empty()) {
      return fail(ErrorCode::kInternal, "the noise probe failed", {}, result.problem_found);
    }
    ratios.push_back(result.times.ratio);
  }
  const double floor = std::max(noise_floor(ratios), kLeastOfGpu);
  const Entry entry{floor, unix_ms()};
  WS_CHECK(archive_.set_setting(floor_key(device),
                                Json{{"floor", entry.floor}, {"at_ms", entry.at_ms}}.dump()));
  const std::lock_guard lock(mutex_);
  known_[floor_key(device)] = entry;
  return NoiseFloor{floor, kLeastUsOfGpu};
}

}  // namespace ws
