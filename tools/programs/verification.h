// Checks whether a CuIR program is correct: runs it on many schedules and compares its outputs with
// the expected ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/call_context.h"
#include "runtime/base/verdict.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/output_check.h"
#include "runtime/reference/host_job.h"
#include "runtime/session/services.h"

namespace ws {

struct VerifyRequest {
  std::string ir;                  ///< The program that is run.
  std::string made_from;           ///< The one it was made from; empty: none.
  std::optional<Problem> problem;  ///< Nothing: sizes from the program's annotations.
  bool is_new_problem = false;     ///< It is not stored.
  std::optional<Kernel> kernel;    ///< A kernel of the problem: its outputs are the expected ones.
  std::optional<Workload> workload;  ///< Nothing: a small one, and others that the problem allows.
  std::string mode = "f64";
  std::size_t schedules = 14;
  std::uint64_t seed = 0;  ///< The seed of the inputs.
};

/// A seed that a client can send back: JSON numbers hold whole numbers up to 2^53 exactly.
std::uint64_t random_seed();

/// How a verification ended.
enum class ProgramEnd : std::uint8_t {
  kOk,
  kSyntaxError,
  kCheckError,
  kFinding,  ///< The executor found a mistake.
  kVerdict,  ///< It does not run, its outputs are wrong, or there is nothing to compare with.
};

struct Verification {
  ProgramEnd end = ProgramEnd::kOk;
  /// Where the end is kVerdict: kRuntimeError, kTimeout, kResourceLimit; kInvalidReference;
  /// kIncorrect, kIncorrectNan.
  Verdict verdict = Verdict::kPassed;
  std::string message;  ///< Why not ok: one sentence.
  std::string hint;
  HostReply reply;                   ///< Diagnostics or findings, and schedules.
  std::optional<Workload> workload;  ///< The one that did not pass, else the first one.
  std::optional<Workload> shrunk_from;
  std::vector<Workload> others;        ///< Further ones on which it is ok.
  std::size_t not_judged = 0;          ///< Further ones that ran past a limit of the executor.
  std::optional<OutputCheck> outputs;  ///< Nothing where they were not compared.
  std::vector<ProgramLoop> loops;      ///< By line: the most rounds on any workload.

  [[nodiscard]] bool ok() const { return end == ProgramEnd::kOk; }

  /// "ok", "syntax_error", "check_error", the first finding's kind, or the verdict's name.
  [[nodiscard]] std::string word() const;
};

/// Runs the program on one workload after another until one does not pass. Those after the first
/// one run once with values, and on all schedules without.
/// @errors kInvalidArgument: the problem has no workload that fits; kCancelled; those of the
/// reference's device and workers.
Result<Verification> verify_program(Services& services, Device& device,
                                    const VerifyRequest& request, const CallContext& context);

}  // namespace ws
