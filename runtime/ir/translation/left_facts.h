// The facts that one of two programs lacks.
#pragma once

#include <vector>

#include "runtime/ir/translation/facts.h"

namespace ws::ir {

/// The facts of `from` that `among` lacks, which both must outlive. Loops, reductions, products and
/// the like are counted; what may be repeated at will is not.
std::vector<const Fact*> facts_left(const std::vector<Fact>& from, const std::vector<Fact>& among);

/// Operators and functions of elements that `from` has more often than `among`: the last of each.
std::vector<const Fact*> operations_left(const std::vector<Fact>& from,
                                         const std::vector<Fact>& among);

}  // namespace ws::ir
