#include "runtime/evaluate/measure/ceilings.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/evaluate/measure/ceiling_kernels.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kLaunches = 20;
constexpr std::chrono::milliseconds kLimit{10'000};
constexpr double kUsPerSecond = 1e6;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr std::string_view kRate = "_gbps";
constexpr std::string_view kArithmetic = "_tflops";

/// Another version of the probes would measure something else.
std::string ceilings_key(const DeviceInfo& device) {
  return "ceilings/2/" + device.key() + "/" + device.name + "/" + device.arch;
}

/// True for errors that are about the device itself, not about the probe.
bool ends_measuring(const Error& error) {
  return error.code == ErrorCode::kBusy || error.code == ErrorCode::kCancelled ||
         error.code == ErrorCode::kDeviceLost;
}

/// The fastest of the launches, in microseconds: a ceiling is what can be reached.
Result<double> time_probe(Backend& backend, const Problem& problem, const Workload& workload,
                          bool memory, const std::stop_token& stop) {
  WS_TRY(const Compiled compiled, compile_for(backend, problem, *problem.reference, workload, {},
                                              {.build = Build::kFast}, stop));
  if (!compiled.ok()) {
    return fail(ErrorCode::kUnsupported, compiled.message);
  }
  WS_TRY(const Prepared prepared, prepare(backend, compiled, RunAs::kReference));
  WS_TRY(const TimingOutcome timing,
         prepared.session->time(
             {.poison = random_u64() | 1U, .launches = kLaunches, .hot = memory ? 0U : 1U}, kLimit,
             stop));
  if (!timing.run.ok() || timing.samples.empty()) {
    return fail(ErrorCode::kUnsupported, "the probe does not run");
  }
  const auto fastest = std::min_element(timing.samples.begin(), timing.samples.end(),
                                        [](const auto& a, const auto& b) { return a.us < b.us; });
  return std::max(fastest->us, 1e-3);
}

/// Work of a second: in 1e9 bytes or 1e12 operations.
Result<double> measure(Backend& backend, const CeilingProbe& probe, const std::stop_token& stop) {
  WS_TRY(const Problem problem, parse_problem(probe.problem));
  WS_TRY(const std::vector<Workload> workloads, expand_workloads(problem));
  WS_TRY(const auto flops, flops_of(problem, workloads.front()));
  WS_TRY(const auto bytes, bytes_of(problem, workloads.front()));
  WS_TRY(const double us, time_probe(backend, problem, workloads.front(), !flops, stop));
  const double unit = flops ? kTera : kGiga;
  return static_cast<double>(flops.value_or(bytes.value_or(0))) / (us / kUsPerSecond) / unit;
}

Ceilings from_form(const Json& form) {
  Ceilings ceilings;
  ceilings.complete = form.value("complete", false);
  for (const auto& [name, value] : form.items()) {
    if (name == "copy_gbps") {
      ceilings.copy_gbps = value;
    } else if (name == "read_gbps") {
      ceilings.read_gbps = value;
    } else if (name.ends_with(kArithmetic)) {
      ceilings.tflops[name.substr(0, name.size() - kArithmetic.size())] = value;
    }
  }
  return ceilings;
}

}  // namespace

Json ceilings_form(const Ceilings& ceilings) {
  Json form = Json::object();
  const auto put = [&form](const std::string& name, double value) {
    if (value > 0) {
      form[name] = value;
    }
  };
  put("copy" + std::string(kRate), ceilings.copy_gbps);
  put("read" + std::string(kRate), ceilings.read_gbps);
  for (const auto& [unit, value] : ceilings.tflops) {
    put(unit + std::string(kArithmetic), value);
  }
  return form;
}

std::optional<Ceilings> DeviceCeilings::stored(const DeviceInfo& device) {
  if (device.emulated) {
    return std::nullopt;  // Never measured: nothing to look for at each call.
  }
  const std::string key = ceilings_key(device);
  const std::lock_guard lock(mutex_);
  if (const auto at = known_.find(key); at != known_.end()) {
    return at->second;
  }
  const auto text = archive_.setting(key);
  const Json form = text && *text ? Json::parse(**text, nullptr, false) : Json();
  if (!form.is_object()) {
    return std::nullopt;
  }
  return known_.emplace(key, from_form(form)).first->second;
}

FairSemaphore& DeviceCeilings::turn_of(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return turns_.try_emplace(key, 1).first->second;
}

Result<Ceilings> DeviceCeilings::get(Backend& backend, const std::stop_token& stop) {
  WS_TRY(const DeviceInfo device, backend.info());
  if (device.emulated) {
    return Ceilings{};
  }
  if (const auto known = stored(device)) {
    return *known;
  }
  WS_TRY(const FairSemaphore::Place turn, turn_of(ceilings_key(device)).enter(stop));
  if (const auto known = stored(device)) {  // Somebody measured them meanwhile.
    return *known;
  }
  Ceilings ceilings;
  ceilings.complete = probes_are_complete(device.arch);
  for (const CeilingProbe& probe : ceiling_probes(device.arch, device.sm_count)) {
    const Result<double> value = measure(backend, probe, stop);
    if (!value && ends_measuring(value.error())) {
      return fail(value.error());
    }
    if (!value) {
      ceilings.complete = false;
      log(LogLevel::kWarning, "ceilings", "unit=" + probe.unit + " " + to_text(value.error()));
      continue;
    }
    (probe.unit == "copy"   ? ceilings.copy_gbps
     : probe.unit == "read" ? ceilings.read_gbps
                            : ceilings.tflops[probe.unit]) = *value;
  }
  Json form = ceilings_form(ceilings);
  form["complete"] = ceilings.complete;
  form["at_ms"] = unix_ms();
  WS_CHECK(archive_.set_setting(ceilings_key(device), form.dump()));
  const std::lock_guard lock(mutex_);
  known_[ceilings_key(device)] = ceilings;
  return ceilings;
}

}  // namespace ws
