// One run of a plan in a worker that compute-sanitizer watches.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/device/cuda/worker/protocol.h"
#include "runtime/device/sanitizer.h"

namespace ws::cuda {

/// The programs and the device of a sanitized run.
struct SanitizedWorker {
  std::string program;      ///< compute-sanitizer, by its whole path.
  std::string executable;   ///< warpsmith.
  AttachRequest request;    ///< `apart` is set.
  std::string lock_folder;  ///< As CudaOptions has it.
};

struct SanitizedJob {
  const Image& image;
  const RunPlan& plan;
  const Arena& arena;
  SanitizerTool tool;
};

/// Starts both programs, runs the plan once and reads the report. @errors as Sanitizes::sanitize.
Result<std::vector<SanitizerRecord>> run_sanitized(const SanitizedWorker& worker,
                                                   const SanitizedJob& job,
                                                   std::chrono::milliseconds limit,
                                                   const std::stop_token& stop);

}  // namespace ws::cuda
