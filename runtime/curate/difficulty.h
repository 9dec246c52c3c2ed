// How hard a problem is to make fast, 0 to 5, from what it computes and the plan of its reference.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/kernel/problem.h"

namespace ws {

struct Difficulty {
  int level = 0;    ///< docs/curate.md has the rules.
  std::string why;  ///< "reads 512 numbers for each that it writes"
};

/// Judged on the costliest listed workload. What the problem itself declares is not looked at.
/// @errors kInvalidArgument: an expression of the problem fails.
Result<Difficulty> difficulty_of(const Problem& problem);

}  // namespace ws
