// The source of the expected outputs of one workload: a trusted kernel on the device, in a worker
// of its own, or a host program (runtime/reference).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/validate/output_check.h"
#include "runtime/judge/validation_plan.h"
#include "runtime/reference/host_session.h"

namespace ws {

class Reference {
 public:
  struct Ran {
    std::string message;  ///< The error; "" when there was none.
    double elapsed_us = 0;
  };

  virtual ~Reference() = default;

  /// The problem's buffers, in its order, then what a kernel needs beyond them.
  [[nodiscard]] virtual const ResolvedPlan& plan() const = 0;
  [[nodiscard]] virtual const Arena& arena() const = 0;
  /// Computes the arena's outputs from its inputs. After an error it cannot run again.
  /// @errors kCancelled.
  virtual Result<Ran> run(std::uint64_t seed, std::chrono::milliseconds limit,
                          const std::stop_token& stop) = 0;

  /// The same formula in f32, as a kernel that follows it computes; this reference owns it. Null
  /// where it is not finer itself, or where that cannot be told. @errors as opening it.
  virtual Result<Reference*> in_f32(const std::stop_token& /*stop*/) { return nullptr; }
};

struct OpenedReference {
  std::unique_ptr<Reference> reference;  ///< Null when it cannot run:
  std::string message;                   ///< why,
  std::vector<Diagnostic> diagnostics;
};

/// The problem's own reference, of any kind. `backend` and `problem` must outlive it.
/// @errors those of compile_for, prepare and HostWorkers::open.
Result<OpenedReference> open_reference(Backend& backend, HostWorkers& hosts, const Problem& problem,
                                       const Workload& workload, const std::stop_token& stop);

/// A kernel's outputs as the expected ones.
Result<OpenedReference> open_kernel_reference(Backend& backend, const Problem& problem,
                                              const Kernel& kernel, const Workload& workload,
                                              const Params& params, Build build,
                                              const std::stop_token& stop);

/// The job of a program on the buffers of `problem`: tensors, scalars and dims.
Result<HostJob> host_job(const Problem& problem, const Workload& workload, HostLanguage language,
                         const std::string& source);

/// Whether the program that is the problem's reference can run at all, on its smallest workload;
/// kernels are compiled when they are first needed.
/// @errors kInvalidArgument: it cannot, with all errors; those of HostWorkers::open.
Status check_host_reference(HostWorkers& hosts, const Problem& problem,
                            const std::stop_token& stop);

/// The inputs whose values the judge draws, as "`x`, `y`"; empty where it draws none.
std::string drawn_inputs(const Problem& problem);

struct DrawRequest {
  std::string who = "the problem's reference";  ///< In messages.
  std::uint64_t secret = 0;
  ValidationRun run;
  std::chrono::milliseconds limit{30'000};  ///< The limit of one run of the reference.
  /// Called when the inputs are drawn and the reference has not run yet: it may change them.
  std::function<void(const Reference&)> on_inputs;
};

struct Drawn {
  std::string message;     ///< Why nothing can be judged by the reference; "" when it can.
  std::uint64_t seed = 0;  ///< The seed of the inputs.
  double elapsed_us = 0;
};

/// Draws inputs and runs the reference; again if its results are no basis for a judgement: not
/// finite, out of range, or not written. @errors kCancelled; those of filling inputs.
Result<Drawn> draw(Reference& reference, const ErrorModel& error_model, const DrawRequest& request,
                   const std::stop_token& stop);

}  // namespace ws
