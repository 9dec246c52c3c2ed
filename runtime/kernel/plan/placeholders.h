// @NAME@ in source, macros and entries: tuning parameters and specialised dims.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Substitutes every declared @NAME@ of `text`; other @X@ stay as they are inside strings and
/// comments, and are an error elsewhere.
/// @param values  Declared name -> value.
/// @param dims    Dims that could be specialised, for the hint.
/// @param region  "source", "macros" or "entry", for the place in the message.
/// @errors kInvalidArgument: "`@BX@` is not declared at source:3:14", with the line and a caret.
Result<std::string> substitute(const std::string& text, const Bindings& values,
                               const Bindings& dims, const std::string& region);

/// The entry of a launch with its placeholders substituted. @errors as substitute.
Result<std::string> substitute_entry(const Kernel& kernel, const Workload& workload,
                                     const Params& params, const std::string& entry);

}  // namespace ws
