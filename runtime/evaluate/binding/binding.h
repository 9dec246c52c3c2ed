// How the arguments of one problem correspond to those of another one: by it a kernel can be
// compared with a kernel that was written for other sizes' names, layouts or index bases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Where an argument of the judged kernel's problem, the own one, is found in the other problem.
struct BoundArg {
  std::string own;
  std::string other;
  /// The other's dimension i is this one's dimension order[i]; nothing: it is to be found.
  std::optional<std::vector<std::size_t>> order;
  /// The other's values are so much larger: 1 where indices begin with 1. Exact up to 2^53.
  std::int64_t add = 0;
};

struct Binding {
  std::map<std::string, std::string> dims;  ///< The other's dims as expressions over the own ones.
  std::vector<BoundArg> args;               ///< Tensors and scalars.
};

/// Completes what a client said of a binding: arguments are matched by name, else by role, type and
/// place; dimensions by their sizes, as they are, else reversed, else in any order.
/// @param said  May be empty. Its names are checked.
/// @errors kInvalidArgument: an unknown name, or nothing fits; the message says for what.
Result<Binding> complete_binding(const Problem& own, const Problem& other, const Binding& said);

/// The other problem's workload beside one of the own problem.
/// @errors kInvalidArgument: an expression fails.
Result<Workload> other_workload(const Binding& binding, const Problem& own, const Problem& other,
                                const Workload& workload);

/// Whether the other kernel may be given that workload: its problem and its constraints allow it.
bool takes(const Problem& other, const Kernel& kernel, const Workload& workload);

}  // namespace ws
