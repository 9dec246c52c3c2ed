// The outputs of the timed launches of a measurement's two sides, compared with each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/arena.h"
#include "runtime/device/output_digest.h"
#include "runtime/judge/inputs.h"
#include "runtime/judge/tolerance.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

class TimedOutputs {
 public:
  /// @param problem, plan  Live longer. Both sides' plans have the same buffers of the problem.
  TimedOutputs(const Problem& problem, const ResolvedPlan& plan, const Workload& workload,
               std::optional<double> flops);

  /// The longest sum that an element of an output is.
  [[nodiscard]] double reduction_length() const { return reduction_length_; }

  /// Compares one launch of each side, on the same inputs: every element.
  /// @return False where the baseline's outputs are not finite or out of range for inputs that are
  /// not the declared ones: the problem has no answer for these.
  /// @errors kUnsupported: rows without order could not be matched.
  Result<bool> compare(const Arena& kernel, const Arena& baseline, Distribution distribution);

  /// Compares the other launches of a block, as far as their digests tell.
  /// @errors kInternal: the sides did not take the same digests.
  Status compare_digests(const std::vector<OutputDigest>& kernel,
                         const std::vector<OutputDigest>& baseline);

  /// Compares the outputs whose usual size only all blocks together show; at the end.
  void compare_lone();

  /// The first difference, in words; "" = none.
  [[nodiscard]] const std::string& problem_found() const { return problem_found_; }

 private:
  /// One block's outputs of a buffer that shows no usual size (shows_size).
  struct LoneOutput {
    std::size_t index = 0;  ///< The buffer's.
    ErrorBound bound;
    std::vector<std::byte> got;
    std::vector<std::byte> want;
    Distribution distribution = Distribution::kDeclared;
  };

  /// @errors As compare().
  Status compare_rows_of(std::size_t index, const Arena& kernel, const Arena& baseline);
  void compare_output(const BufferSpec& spec, const ErrorBound& bound,
                      std::span<const std::byte> got, std::span<const std::byte> want);
  [[nodiscard]] bool is_judgeable(const Arena& baseline) const;

  [[nodiscard]] bool has_order(std::size_t index) const;

  const Problem& problem_;
  const ResolvedPlan& plan_;
  double reduction_length_ = 1;
  std::vector<std::pair<std::size_t, ErrorBound>>
      outputs_;  ///< Buffer and how far they may differ.
  std::vector<LoneOutput> lone_;
  std::string problem_found_;
};

}  // namespace ws
