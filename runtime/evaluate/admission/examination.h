// A problem examined on one of its workloads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/admission/null_models.h"

namespace ws {

/// An input that did not matter.
struct IdleInput {
  std::size_t buffer = 0;
  bool varies = false;  ///< False: all draws of it are the same.
};

/// The findings that more work on another workload may refute.
struct Suspicions {
  std::vector<NullModel> models;   ///< Those that passed every draw.
  std::vector<std::size_t> empty;  ///< Outputs without elements.
  std::vector<IdleInput> inputs;
};

/// Runs the reference on one workload. Not for several threads.
class Examination {
 public:
  /// @param secret  All draws come from it.
  Examination(Reference& reference, const ErrorModel& error_model, std::uint64_t secret,
              const std::stop_token& stop)
      : reference_(reference),
        error_model_(error_model),
        secret_(secret),
        stop_(stop) {}

  /// All that can be suspected.
  [[nodiscard]] Suspicions everything() const;

  /// Draws inputs of every distribution, and each suspected input again; leaves what was not
  /// refuted.
  /// @return  False: the reference gave nothing to judge by, and `suspicions` says nothing.
  /// @errors those of filling inputs and of running the reference.
  Result<bool> refute(Suspicions& suspicions);

  /// The outputs that differ between runs on the inputs of refute()'s last draw. One disturbed run
  /// says nothing, and what is found is kept for good: each of several runs must differ from the
  /// one before it.
  /// @return  The output's buffer; nothing where two runs in a row agree.
  Result<std::optional<std::size_t>> unsteady_output();

 private:
  Result<bool> draw_once(Distribution distribution, NullDraw& into);
  Result<std::optional<IdleInput>> examine_input(std::size_t input);
  Result<bool> fill_another(std::size_t input, std::uint64_t seed);
  Status fill_again(Distribution distribution, std::uint64_t seed);
  Result<std::optional<Contents>> results_of(std::uint64_t seed);
  [[nodiscard]] Contents contents(bool written) const;
  [[nodiscard]] std::optional<std::size_t> difference(const Contents& first,
                                                      const Contents& second) const;

  [[nodiscard]] const std::vector<BufferSpec>& buffers() const { return reference_.plan().buffers; }

  Reference& reference_;
  const ErrorModel& error_model_;
  std::uint64_t secret_;
  const std::stop_token& stop_;
  std::uint64_t draws_ = 0;
  std::uint64_t last_seed_ = 0;
};

}  // namespace ws
