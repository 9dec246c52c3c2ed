// Candidate and reference of one workload, side by side in two workers, and one comparison of them.
#pragma once

#include <memory>
#include <string>

#include "runtime/evaluate/validate/conditioning.h"
#include "runtime/evaluate/validate/launch_modes.h"
#include "runtime/evaluate/validate/reference.h"
#include "runtime/evaluate/validate/validation.h"

namespace ws {

class ArenaPair {
 public:
  struct Opened {
    std::unique_ptr<ArenaPair> pair;  ///< Null when one of them cannot run; the rest says why.
    Verdict verdict = Verdict::kPassed;
    std::string message;
    std::vector<Diagnostic> diagnostics;
    std::vector<FindingCode> notes;
  };

  /// Compiles (the candidate with bounds checks) and loads both.
  static Result<Opened> open(Backend& backend, HostWorkers& hosts, const Subject& subject,
                             const Workload& workload, const Params& params,
                             const ValidationRequest& request, const std::stop_token& stop);

  /// One run: inputs, reference, candidate, comparison; in another mode than the plain one, where
  /// that fails, also what other modes give with the same inputs. A verdict other than kPassed
  /// fills `result`'s message, finding, fault or mismatch. After a fault the pair cannot run again.
  /// The run of the call before has its inputs again.
  /// @errors kCancelled; those of filling inputs and of Backend::open.
  Result<RunRecord> run(const ValidationRequest& request, const ValidationRun& run,
                        const RunMode& mode, ValidationResult& result, const std::stop_token& stop);

  /// The launches from now on begin with other poison and at another time of the kernel's clock
  /// than those of another `turn`, with the same inputs. Why one of them fails is not looked for
  /// where the turn is not 0.
  void use_turn(std::uint64_t turn) { turn_ = turn; }

  /// As Session::has_modes.
  [[nodiscard]] bool has_modes() const { return candidate_.session->has_modes(); }

  /// The launches of the candidate so far.
  [[nodiscard]] std::size_t launched() const { return launched_; }

  /// The candidate passed everything.
  void mark_verified() { candidate_.session->mark_verified(); }

 private:
  /// A launch of the candidate, and what came of it.
  struct Attempt {
    RunRecord record;
    std::string message;
    std::optional<Fault> fault;
    std::optional<Mismatch> mismatch;
    std::uint32_t changed_variable = kNoPlace;  ///< As RunReply.

    [[nodiscard]] bool passed() const { return record.verdict == Verdict::kPassed; }

    /// False, too, where the launch could not be judged.
    [[nodiscard]] bool wrong() const {
      return !passed() && record.verdict != Verdict::kUnsupported;
    }
  };

  /// All that a launch needs beside its mode.
  struct Trial {
    const ValidationRequest& request;
    const ValidationRun& run;
    const std::stop_token& stop;
    int patience = 1;  ///< A launch has so many times the pair's limit.
  };

  ArenaPair(Backend& backend, Compiled compiled, ErrorModel error_model, Workload workload,
            Params params, std::unique_ptr<Reference> reference)
      : backend_(backend),
        compiled_(std::move(compiled)),
        error_model_(std::move(error_model)),
        workload_(std::move(workload)),
        params_(std::move(params)),
        reference_(std::move(reference)) {}

  /// @return  False when no draw gave a reference to judge by; `result` says why.
  Result<bool> draw_reference(const ValidationRequest& request, const ValidationRun& run,
                              ValidationResult& result, const std::stop_token& stop);
  /// Compares, and asks the reference where rounding may explain a difference.
  Result<OutputCheck> check_outputs(const MemoryGuard& guard, const Trial& trial,
                                    RunRecord& record);
  /// The answer for large values, on which rounding costs more than any bound allows: only results
  /// that are not finite count, where an element depends on its whole row. Else the kernel need not
  /// be more careful than its problem's fill asks for.
  Result<OutputCheck> check_large(OutputCheck check, const NudgeRequest& how,
                                  const std::stop_token& stop);
  Status compare_outputs(const MemoryGuard& guard, const Trial& trial, Attempt& attempt);
  /// Launches on the inputs that are in the candidate's arena now.
  Result<Attempt> launch(const Trial& trial, const RunMode& mode);
  /// Launches on the inputs of the draw, which it puts there again.
  Result<Attempt> launch_again(const Trial& trial, const RunMode& mode);
  /// The answer for a run that failed in a mode which is not plain.
  Result<Attempt> explain(const Trial& trial, const RunMode& mode, Attempt failed,
                          ValidationResult& result);
  /// Whether the candidate, whose wrong results of a plain launch are in its arena, gives others in
  /// this mode.
  Result<bool> differs_in(const Trial& trial, const Attempt& failed, const RunMode& mode);
  /// The same for other times and places.
  Result<bool> differs_elsewhere(const Trial& trial, const Attempt& failed);
  /// Says of such a launch whether it depends on an order, or on where its memory lies.
  Status explain_plain(const Trial& trial, Attempt& failed, ValidationResult& result);

  /// The time or the place, where the candidate looks at it: both are others in each launch.
  [[nodiscard]] std::optional<FindingCode> moving_part() const;

  /// Whether a launch in this mode is right at another time, or with its memory at another place.
  Result<bool> right_elsewhere(const Trial& trial, const RunMode& mode);

  /// The answer for a run that did not end in another order, but did in the ascending one.
  Result<Attempt> explain_hang(const Trial& trial, const RunMode& mode, Attempt plain,
                               ValidationResult& result);
  [[nodiscard]] Attempt stateful(Attempt failed, const Attempt& plain) const;

  Backend& backend_;
  Compiled compiled_;
  ErrorModel error_model_;
  Workload workload_;
  Params params_;
  Prepared candidate_;
  std::unique_ptr<Reference> reference_;
  double reference_us_ = 0;
  int patience_ = 1;                    ///< Each launch has so many times its limit.
  std::uint64_t seed_ = 0;              ///< The seed of the inputs that are in both arenas now.
  std::optional<std::uint64_t> drawn_;  ///< The seed index of their run.
  std::size_t launched_ = 0;
  std::uint64_t turn_ = 0;
  bool spent_ = false;  ///< The candidate's session is over.
};

}  // namespace ws
