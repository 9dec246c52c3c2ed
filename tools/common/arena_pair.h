// Candidate and reference of one workload, side by side in two workers, and one comparison of them.
#pragma once

#include <memory>
#include <string>

#include "tools/common/validation.h"

namespace ws {

class ArenaPair {
 public:
  struct Opened {
    std::unique_ptr<ArenaPair> pair;  ///< Null when one of them cannot run:
    std::string verdict;              ///< why,
    std::string message;
    std::vector<Diagnostic> diagnostics;
  };

  /// Compiles (the candidate with bounds checks) and loads both.
  static Result<Opened> open(Backend& backend, const Subject& subject, const Workload& workload,
                             const Params& params, bool fresh, const std::stop_token& stop);

  /// One run: inputs, reference, candidate, comparison. A verdict other than "passed" fills
  /// `result`'s message, fault or mismatch. After a fault the pair cannot run again.
  /// @errors kCancelled; those of filling inputs.
  Result<RunRecord> run(const ValidationRequest& request, const ValidationRun& run,
                        ValidationResult& result, const std::stop_token& stop);

 private:
  ArenaPair(const Subject& subject, const Workload& workload, const Params& params)
      : subject_(subject),
        workload_(workload),
        params_(params) {}

  /// @return  False when no draw gave a reference to judge by; `result` says why.
  Result<bool> draw_reference(const ValidationRequest& request, const ValidationRun& run,
                              ValidationResult& result, const std::stop_token& stop);
  /// Why nothing can be judged by what the reference gave; "" when it can.
  [[nodiscard]] std::string unusable(const Watch& watch) const;
  void compare_outputs(const Watch& watch, Distribution distribution, RunRecord& record,
                       ValidationResult& result) const;
  [[nodiscard]] double longest_reduction() const;
  [[nodiscard]] double reduction_of(const ArgSpec& arg, const BufferSpec& buffer) const;

  const Subject& subject_;
  Workload workload_;
  Params params_;
  std::optional<double> flops_;
  Prepared candidate_;
  Prepared reference_;
  double reference_us_ = 0;
  std::uint64_t seed_ = 0;  ///< Of the inputs that are in both arenas now.
};

}  // namespace ws
