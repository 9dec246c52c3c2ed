// Compares outputs with the expected ones: every element of every output, with a description of
// what is wrong.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/validate/rounding_reference.h"
#include "runtime/judge/compare.h"
#include "runtime/judge/conditioning.h"
#include "runtime/judge/inputs.h"
#include "runtime/judge/mismatch_cells.h"
#include "runtime/judge/pattern.h"
#include "runtime/judge/unordered.h"

namespace ws {

struct Mismatch {
  std::string output;
  WorstElement worst;
  std::int64_t count = 0;
  double share = 0;
  MismatchPattern pattern;
  MismatchCells cells{};  ///< Empty for an output without order, and where it was read back.
};

/// The amounts by which the rows of each output, by buffer, may be off beyond their bound.
using Slacks = std::map<std::size_t, RowSlack>;

/// The usual size of outputs that do not show it themselves (shows_usual_size), by buffer.
using UsualSizes = std::map<std::size_t, double>;

/// How far outputs may be off beyond their bound, by what the reference itself shows.
struct Allowance {
  Slacks slacks;
  UsualSizes sizes;
};

/// An output that rounding may explain, were the problem ill conditioned there.
struct Doubt {
  std::size_t buffer = 0;
  DType type = DType::kF32;
  double reduction_length = 1;
  double excess = 0;  ///< How many times its bound the worst element is off,
  double error = 0;   ///< and by how much.
  bool sized = true;  ///< Its usual size is known, from itself or from other draws.
  bool far = false;   ///< More than kMostDoubted times the bound at the output's usual size.
};

/// An error beyond this many bounds never passes, and is rounding only where one change of the
/// inputs' last bits moves the reference by an error of its kind.
inline constexpr double kMostDoubted = 4096;

struct OutputCheck {
  Verdict verdict = Verdict::kPassed;  ///< kUnsupported: its rows could not be matched.
  std::string message;                 ///< Why not passed: one sentence.
  double max_abs_error = 0;
  double max_rel_error = 0;
  std::optional<Mismatch> mismatch;
  std::optional<Doubt> doubt;  ///< Only beside a mismatch.
};

/// How far an output may be off.
struct OutputBound {
  std::string output;
  DType type = DType::kF32;
  ExplainedBound explained;
};

/// A problem at one of its workloads: how far an output may be off.
class ErrorModel {
 public:
  /// @errors kInvalidArgument: the problem's flops cannot be computed.
  static Result<ErrorModel> of(const Problem& problem, const Workload& workload);

  /// Over the outputs among `buffers`; at least 1.
  [[nodiscard]] double longest_reduction(const std::vector<BufferSpec>& buffers) const;

  /// The bound of each output among `buffers`, in their order, before anything is run: whole
  /// numbers may be compared bit for bit instead (bound_for_run).
  [[nodiscard]] std::vector<OutputBound> bounds(const std::vector<BufferSpec>& buffers) const;

  /// Compares all outputs.
  /// @param want_arena  Has `plan`'s buffers, and perhaps more after them.
  /// @param got_arena   The same. @param guard  Its guard. @param allowance  For any of the
  /// outputs.
  [[nodiscard]] OutputCheck check(const ResolvedPlan& plan, const Arena& want_arena,
                                  const Arena& got_arena, const MemoryGuard& guard,
                                  Distribution distribution, const Allowance& allowance = {}) const;

  /// Whether one output is as the reference's, gaps aside.
  /// @param output  Its index in `buffers`. @param want  The reference's buffers.
  [[nodiscard]] Agreement agreement(const std::vector<BufferSpec>& buffers, std::size_t output,
                                    const BufferBytes& got, const BufferBytes& want,
                                    Distribution distribution) const;

  /// The rows of an output without order, those of `want` being the reference's.
  [[nodiscard]] RowsComparison compare_any_order(const std::vector<BufferSpec>& buffers,
                                                 std::size_t output, const BufferBytes& got,
                                                 const BufferBytes& want, Distribution distribution,
                                                 const Poison* poison = nullptr) const;

  [[nodiscard]] const Problem& problem() const { return *problem_; }

 private:
  ErrorModel(const Problem& problem, const Workload& workload)
      : problem_(&problem),
        workload_(workload),
        reference_rounds_(reference_rounds(problem)) {}

  /// Adds the rows of an output without order to `result`.
  void add_any_order(const ResolvedPlan& plan, std::size_t output, const Arena& want_arena,
                     const Arena& got_arena, const MemoryGuard& guard, Distribution distribution,
                     OutputCheck& result) const;
  [[nodiscard]] ErrorBound bound_of(const ArgSpec& arg, const BufferSpec& output,
                                    std::span<const std::byte> want,
                                    Distribution distribution) const;
  [[nodiscard]] double reduction_of(const ArgSpec& arg, const BufferSpec& buffer) const;
  /// The bound of a run whose outputs should be these.
  [[nodiscard]] ErrorBound bound_for(const ErrorBound& bound, const BufferSpec& output,
                                     std::span<const std::byte> want,
                                     Distribution distribution) const;

  const Problem* problem_;
  Workload workload_;
  std::optional<double> flops_;
  bool reference_rounds_;
};

/// True for buffers that a kernel writes and the judge checks.
bool is_output(const BufferSpec& buffer);

}  // namespace ws
