// The findings of sanitizers, in the contract's form.
#pragma once

#include "runtime/evaluate/validate/sanitized_check.h"
#include "tools/tool.h"

namespace ws {

/// Puts {kind, message, ..., tool, verdict, other_file, other_line, count} for each finding into
/// `form`'s "findings", and "sanitizers" {clean[], skipped[]} beside them.
void add_sanitizers(Json& form, const SanitizerResult& result);

/// Reads what add_sanitizers() wrote; nothing where no sanitizer ran.
std::optional<SanitizerResult> sanitizers_of_form(const Json& form);

/// Whether an element of "findings" is a sanitizer's.
bool is_sanitizers(const Json& finding);

}  // namespace ws
