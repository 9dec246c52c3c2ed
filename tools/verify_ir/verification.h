// Is a CuIR program right? Runs it on many schedules and compares its outputs with the expected
// ones.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/call_context.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/output_check.h"
#include "runtime/reference/host_job.h"
#include "runtime/session/services.h"

namespace ws {

struct VerifyRequest {
  std::string ir;                  ///< The program that is run.
  std::string made_from;           ///< The one it was made from; empty: none.
  std::optional<Problem> problem;  ///< Nothing: sizes from the program's annotations.
  std::optional<Kernel> kernel;    ///< Of the problem: its outputs are the expected ones.
  std::optional<Workload> workload;
  std::string mode = "f64";
  std::size_t schedules = 14;
  std::uint64_t seed = 0;  ///< Of the inputs.
};

struct Verification {
  /// ok; incorrect, incorrect_nan: the outputs; a finding's kind; syntax_error, check_error,
  /// runtime_error, timeout, resource_limit: it does not run; invalid_reference: nothing to
  /// compare with.
  std::string verdict = "ok";
  std::string message;  ///< Why not ok: one sentence.
  std::string hint;
  HostReply reply;  ///< Diagnostics or findings, and schedules.
  std::optional<Workload> workload;
  std::optional<Workload> shrunk_from;
  std::optional<OutputCheck> outputs;  ///< Nothing where they were not compared.

  [[nodiscard]] bool ok() const { return verdict == "ok"; }
};

/// @errors kInvalidArgument: the problem has no workload that fits; kCancelled; those of the
/// reference's device and workers.
Result<Verification> verify_program(Services& services, Device& device,
                                    const VerifyRequest& request, const CallContext& context);

}  // namespace ws
