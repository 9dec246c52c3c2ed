// A kernel on a GPU: its time, and what the GPU's own counters say where they are allowed.
#pragma once

#include <optional>
#include <string>

#include "runtime/device/hardware_counters.h"
#include "runtime/evaluate/modelled/software_run.h"

namespace ws {

struct HardwareRun {
  Verdict verdict = Verdict::kProfiled;  ///< Any other verdict says why nothing was collected.
  std::string message;
  std::optional<Fault> fault;
  double us = 0;  ///< Median of some cold launches.
  std::optional<HardwareCounters> counters;
  std::string no_counters;  ///< Why there are none, and what to do about it.
};

/// @param question  Its `workload` runs. @errors  Those of compile_for, prepare and Session.
Result<HardwareRun> run_on_gpu(Backend& backend, const Subject& subject,
                               const ProfileQuestion& question, const std::stop_token& stop);

}  // namespace ws
