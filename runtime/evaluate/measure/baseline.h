// The baseline that a kernel is timed against.
#pragma once

#include <string>

#include "runtime/evaluate/subject.h"

namespace ws {

struct Baseline {
  std::string id;  ///< Kernel id; "reference" for the problem's reference; "" for none.
  Kernel kernel;
  bool none = false;
};

/// @param name  parent, root, reference, none, a kernel id or a ref.
/// @errors kInvalidArgument: `parent` of a root, or a kernel of another problem; kNotFound.
Result<Baseline> choose_baseline(Archive& archive, const Subject& subject, const std::string& name);

}  // namespace ws
