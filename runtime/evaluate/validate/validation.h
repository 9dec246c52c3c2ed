// Checks whether a kernel is correct: runs it on fresh secret inputs and compares every output with
// the reference.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/device/run_mode.h"
#include "runtime/evaluate/finding_code.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/output_check.h"
#include "runtime/evaluate/validate/reference.h"
#include "runtime/evaluate/validate/sanitized_check.h"
#include "runtime/judge/validation_plan.h"
#include "runtime/kernel/plan/index_range.h"
#include "runtime/reference/host_session.h"

namespace ws {

/// Where the expected outputs come from in the place of the problem's reference.
struct OtherReference {
  std::string who;  ///< In messages.
  /// As open_reference, its buffers being the problem's. Any thread.
  std::function<Result<OpenedReference>(const Workload&, const std::stop_token&)> open;
  std::function<bool(const Workload&)> takes;  ///< False: it cannot be asked for these sizes.
};

struct ValidationRequest {
  ValidationLevel level = ValidationLevel::kQuick;
  std::vector<Workload> workloads;  ///< Empty: the problem's own, and hidden ones.
  /// At least one choice. The first must run; of the others, those that the kernel refuses or that
  /// exceed what the device has for a block are left out, as `tune` leaves them out.
  std::vector<Params> params;
  std::uint64_t secret = 0;                           ///< All seeds come from it.
  bool fresh = false;                                 ///< Compile even if a stored outcome exists.
  bool races = false;                                 ///< Look for races at level kQuick, too.
  std::string batch;                                  ///< As RunPlan::batch.
  std::chrono::milliseconds reference_limit{30'000};  ///< The limit of one launch of the reference.
  std::optional<OtherReference> expected = std::nullopt;
};

struct RunRecord {
  Workload workload;
  Params params;
  std::string distribution;
  Verdict verdict = Verdict::kPassed;
  double max_abs_error = 0;
  double max_rel_error = 0;
  /// Above 0: passed only because the problem is ill conditioned at this draw (conditioning.h); the
  /// worst element is off by so many times the usual bound.
  double widened = 0;
  std::optional<Workload> shrunk_from;
  RunOrder order = RunOrder::kAscending;
  std::string device{};  ///< Where it ran; empty: on the device that was asked for.
};

/// The CPU engine's word on a kernel that passed on a GPU (engine_check.h).
struct EngineCheck {
  Verdict verdict = Verdict::kPassed;  ///< kUnsupported, kTimeout: it could not tell.
  std::string message;                 ///< Why not passed: one sentence.
  std::size_t runs = 0;
};

/// Some blocks of each launch at a size with more elements than a 32-bit index counts
/// (sparse_check.h).
struct SparseLook {
  LargeArgument largest;     ///< And the workload.
  std::uint64_t blocks = 0;  ///< So many ran,
  std::uint64_t of = 0;      ///< of so many.
};

struct ValidationResult {
  Verdict verdict = Verdict::kPassed;
  std::string message;  ///< Why not passed: one sentence.
  std::vector<RunRecord> runs;
  std::size_t runs_total = 0;  ///< A result that was stored may have left out some of `runs`.
  std::optional<Mismatch> mismatch;
  std::optional<Fault> fault;
  std::vector<Diagnostic> diagnostics;  ///< compile_error.
  std::optional<FindingCode> finding;   ///< Why the verdict is what it is.
  std::vector<FindingCode> notes;       ///< Each once.
  /// Level kSanitize; on the CPU engine all levels but kQuick, and where it explains the verdict.
  std::optional<SanitizerResult> sanitized;
  std::optional<EngineCheck> engine;   ///< For a kernel that passed on a GPU.
  std::optional<SparseLook> sparse{};  ///< For a kernel that passed, where there are such sizes.
  std::size_t declared = 0;
  std::size_t unsupported = 0;
  std::size_t hidden = 0;
  std::size_t hidden_skipped = 0;
  std::size_t samples_left_out = 0;
  std::map<std::string, std::int64_t> smallest{};  ///< By dim: the smallest size of any run.
  std::map<std::string, std::int64_t> largest{};   ///< The same of the largest.
  std::string reference_kind;                      ///< As Problem::reference_kind.
  bool reference_trusted = false;
  bool emulated = false;  ///< The device is.
};

/// A validation and the evidence that records it.
struct StoredValidation {
  ValidationResult result;
  /// Why its problem tells little about any kernel (admission.h); looked for once the kernel
  /// passed.
  std::vector<std::string> weak_problem;
  std::string kernel_id;
  std::string evidence_id;
  std::int64_t age_s = 0;
  bool repeated = false;  ///< It used the inputs of `evidence_id` and is evidence of nothing.
};

/// Stops at the first run that is not correct; sanitizers look at the kernel all the same.
/// @errors kInvalidArgument: no workload left by constraints, an expression that fails;
/// kUnsupported: kSanitize on a GPU without a sanitizer; kCancelled; those of the backend.
Result<ValidationResult> validate_kernel(Backend& backend, HostWorkers& hosts,
                                         const Subject& subject, const ValidationRequest& request,
                                         const CallContext& context);

}  // namespace ws
