// The launcher of a kernel as a function of Python: sizes from the shapes of arrays, checks, memory
// and launches. The text stands behind text/numbers.py and the target's own helpers.
#pragma once

#include <string>
#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// A library whose arrays the launcher takes, and the way in which it launches.
class PythonTarget {
 public:
  PythonTarget() = default;
  PythonTarget(const PythonTarget&) = delete;
  PythonTarget& operator=(const PythonTarget&) = delete;
  virtual ~PythonTarget() = default;

  /// "handover_torch.float32". @errors kUnsupported: the library has no such type.
  [[nodiscard]] virtual Result<std::string> dtype(DType type) const = 0;

  /// A statement of a line for each symbol that is filled before the launches.
  [[nodiscard]] virtual std::vector<std::string> symbols() const = 0;

  /// The statement that launches. @errors kUnsupported; kInvalidArgument: an expression.
  [[nodiscard]] virtual Result<std::string> launch(std::size_t index) const = 0;
};

/// A dim and the place where the launcher reads its size.
struct DimSource {
  std::string dim;
  std::string arg;  ///< An argument with this dim alone as an extent; empty: there is none, and
                    ///< the caller gives the size.
  std::size_t axis = 0;  ///< The place among its extents.
  std::size_t rank = 0;  ///< Its dimensions.
};

/// One for each dim, in the problem's order.
std::vector<DimSource> dim_sources(const Problem& problem);

/// `def handover_run(...)`, which gives the outputs: arguments of role in and inout in the
/// problem's order, then numbers, then by name the dims that no shape says.
/// @errors kUnsupported: a type that the target has not; kInvalidArgument: an expression.
Result<std::string> python_launcher(const Handover& handover, const PythonTarget& target);

/// The call of that function, for people: "handover_run(a, b, n=...)".
std::string python_usage(const Problem& problem);

}  // namespace ws
