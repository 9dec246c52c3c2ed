// Candidate and reference of one workload, side by side in two workers, and one comparison of them.
#pragma once

#include <memory>
#include <string>

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
  };

  /// Compiles (the candidate with bounds checks) and loads both.
  static Result<Opened> open(Backend& backend, HostWorkers& hosts, const Subject& subject,
                             const Workload& workload, const Params& params,
                             const ValidationRequest& request, const std::stop_token& stop);

  /// One run: inputs, reference, candidate, comparison. A verdict other than kPassed fills
  /// `result`'s message, fault or mismatch. After a fault the pair cannot run again.
  /// @errors kCancelled; those of filling inputs.
  Result<RunRecord> run(const ValidationRequest& request, const ValidationRun& run,
                        ValidationResult& result, const std::stop_token& stop);

  /// The candidate passed everything.
  void mark_verified() { candidate_.session->mark_verified(); }

 private:
  ArenaPair(ErrorModel error_model, Workload workload, Params params,
            std::unique_ptr<Reference> reference)
      : error_model_(std::move(error_model)),
        workload_(std::move(workload)),
        params_(std::move(params)),
        reference_(std::move(reference)) {}

  /// @return  False when no draw gave a reference to judge by; `result` says why.
  Result<bool> draw_reference(const ValidationRequest& request, const ValidationRun& run,
                              ValidationResult& result, const std::stop_token& stop);
  /// Compares, and asks the reference where rounding may explain a difference.
  Result<OutputCheck> check_outputs(const MemoryGuard& guard, const ValidationRequest& request,
                                    Distribution distribution, RunRecord& record,
                                    const std::stop_token& stop);
  Status compare_outputs(const MemoryGuard& guard, const ValidationRequest& request,
                         Distribution distribution, RunRecord& record, ValidationResult& result,
                         const std::stop_token& stop);

  ErrorModel error_model_;
  Workload workload_;
  Params params_;
  Prepared candidate_;
  std::unique_ptr<Reference> reference_;
  double reference_us_ = 0;
  std::uint64_t seed_ = 0;  ///< The seed of the inputs that are in both arenas now.
};

}  // namespace ws
