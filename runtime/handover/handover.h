// Hands a kernel over to other people's programs: as CUDA with a host launcher, as an extension of
// PyTorch, as a file for CuPy or Triton. Every form is source that its reader can build and check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/handover/proof.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/kernel/problem.h"

namespace ws {

enum class HandoverForm : std::uint8_t {
  kCuda,
  kPytorch,
  kCupy,
  kTriton,
  kCuir,
  kFlashinfer,
  kKernelbench,
  kKernelTuner,
};

/// "cuda"; the words of the wire contract.
std::string_view name_of(HandoverForm form);
std::optional<HandoverForm> parse_handover_form(std::string_view word);

/// One file of a hand-over.
struct HandoverFile {
  std::string path;  ///< Relative: names of [A-Za-z0-9_.]+ with / between them, none of them "..".
  std::string text;  ///< UTF-8.
};

/// One workload that a benchmark timed beside a validation of it, for forms with results.
struct HandoverTiming {
  Workload workload;
  double us = 0;
  double baseline_us = 0;  ///< The reference's; 0: the baseline was no reference.
  double max_abs_error = 0;
  double max_rel_error = 0;
};

struct HandoverTimings {
  std::string device;  ///< "NVIDIA H100"
  std::string at;      ///< "2026-01-01T00:00:00Z"
  std::vector<HandoverTiming> rows;
};

/// The measurements of the kernel's tuning in the forms of Kernel Tuner (runtime/tune). Empty:
/// it was never tuned.
struct HandoverTuning {
  std::string cache;    ///< A cache file.
  std::string results;  ///< T4 results.
};

/// The kernel that is handed over, as it was judged.
struct Handover {
  const Problem& problem;
  const Kernel& kernel;
  Params params;  ///< A value for each.
  Workload
      workload;  ///< The sizes that a first run uses; specialised dims are compiled in as here.
  Proof proof;
  HandoverTimings timings = {};
  HandoverTuning tuning = {};
};

/// The files of a form, the one with the kernel first.
/// @param cuir  kCuir: the program that the kernel was lifted to; else not looked at.
/// @errors kUnsupported: the form cannot have the kernel, with the reason; kInvalidArgument: the
///         plan fails. Any thread.
Result<std::vector<HandoverFile>> hand_over(const Handover& handover, HandoverForm form,
                                            const std::string& cuir = {});

}  // namespace ws
