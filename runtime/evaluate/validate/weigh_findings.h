// Weighs the findings of a sanitizer in the verdict of a validation.
#pragma once

#include "runtime/evaluate/validate/validation.h"

namespace ws {

/// Whether a race, or a read of memory that nobody wrote, is behind the verdict.
bool is_explained(const ValidationResult& result);

/// They decide of a kernel that passed, and else say where the reason of the verdict lies.
/// @param result  Its `sanitized` is set. Findings that mean nothing are taken out of it.
void weigh_findings(ValidationResult& result);

}  // namespace ws
