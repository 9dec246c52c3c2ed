// One launch of a kernel, as the lifter takes it: names instead of buffers, symbols for sizes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"
#include "runtime/lift/symbolic/poly.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// One term of a polynomial that is the same for all threads.
struct PolyPart {
  Monomial symbols;
  std::uint64_t size = 0;  ///< The factor without its sign.
  bool negative = false;
};

/// The terms in the order in which CuIR has them: the plain number comes last. Empty: it is 0.
std::vector<PolyPart> parts_of(const Poly& poly);

/// Unknown integers of a program, by their text in CuIR: "blockIdx.x", "self.m", "i".
class Symbols {
 public:
  SymbolId intern(const std::string& text);

  [[nodiscard]] const std::string& text(SymbolId id) const {
    return texts_[static_cast<std::size_t>(id)];
  }

  /// As CuIR. @param poly  The same for all threads.
  [[nodiscard]] std::string text_of(const Poly& poly) const;

 private:
  std::vector<std::string> texts_;
};

struct TensorInput {
  std::string name;
  DType type = DType::kF32;
  std::vector<Poly> shape;
  bool scratch = false;
};

/// The value that a parameter of the entry gets.
struct Argument {
  enum class Kind : std::uint8_t { kTensor, kInteger, kFloat, kOther };
  Kind kind = Kind::kOther;
  std::size_t tensor = 0;  ///< kTensor: index into LaunchInput::tensors.
  Poly integer;            ///< kInteger; kTensor: elements from its start.
  std::string text;        ///< kFloat: "self.alpha"; kOther: as written.
};

/// How long a lift may go on: a hostile kernel makes every step dear. In processor time, so that a
/// busy machine does not lift less. Of the thread that lifts.
struct TimeBudget {
  std::stop_token stop;
  std::chrono::nanoseconds until = std::chrono::nanoseconds::max();  ///< thread_processor_time().

  /// @errors kCancelled; kTimeout.
  [[nodiscard]] Status left() const;
};

/// A tensor map of the plan over a whole tensor, as it lies in memory.
struct MapInput {
  std::string name;
  std::size_t tensor = 0;         ///< Index into LaunchInput::tensors.
  std::vector<std::int64_t> box;  ///< Innermost dimension first.
  std::string swizzle;            ///< "128B"; empty: none.
  /// Set for a view of a matrix that cuts its columns into panels: for each dimension of the map,
  /// the number of columns that a step along it is; 0 stands for a row. When it is empty, the map
  /// has the tensor's own dimensions.
  std::vector<std::int64_t> columns;
};

struct LaunchInput {
  FunctionId entry = kNone;
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::array<std::int64_t, 3> cluster = {1, 1, 1};    ///< In blocks.
  std::array<std::string, 3> grid = {"1", "1", "1"};  ///< In CuIR, within __init__.
  std::vector<TensorInput> tensors;
  std::vector<MapInput> maps;
  std::vector<Argument> args;
  std::vector<std::string> names;  ///< Parameters of __init__: tensors, scalars, dims.
  std::int64_t shared_bytes = 0;
  std::optional<SymbolId>
      warpgroup;  ///< The block is one warpgroup of a larger one, of this number.
  TimeBudget time_budget;
  std::int32_t probe = 0;  ///< A line whose integers are wanted: Program::indices; 0: none.

  [[nodiscard]] std::size_t threads() const {
    return static_cast<std::size_t>(block[0] * block[1] * block[2]);
  }
};

/// Resolves launch `index` of the kernel's plan. Sizes stay symbols, parameters become numbers.
/// @errors kInvalidArgument: as resolve_plan; kUnsupported: something in the plan that has no
/// counterpart in CuIR (a repeated launch, strides).
Result<LaunchInput> launch_input(const Problem& problem, const Kernel& kernel,
                                 const Workload& workload, const Params& params, std::size_t index,
                                 Symbols& symbols);

/// An expression of a plan over dims and parameters. What is no polynomial is a symbol of its own.
Result<Poly> poly_of(const std::string& text, const Params& params, Symbols& symbols);

/// The same as CuIR: parameters replaced by their values, `prefix` before other names.
std::string expression_text(const std::string& text, const Params& params,
                            const std::string& prefix);

/// How the program calls an array in shared memory that the kernel calls `declared`, without
/// `self.`: an argument may have that name.
std::string array_name(const LaunchInput& input, const std::string& declared);

}  // namespace ws::lift
