// The baseline that a kernel is timed against.
#pragma once

#include <string>

#include "runtime/evaluate/subject.h"

namespace ws {

struct Baseline {
  /// Kernel id; "reference" for the problem's reference; "problem" for the kernel that the problem
  /// names as its baseline; "" for none.
  std::string id;
  Kernel kernel;
  bool none = false;
};

/// @param name  parent, root, reference, problem, none, a kernel id or a ref.
/// @errors kInvalidArgument: `parent` of a root, `problem` where it names no kernel, or a kernel of
/// another problem; kNotFound.
Result<Baseline> choose_baseline(Archive& archive, const Subject& subject, const std::string& name);

}  // namespace ws
