// The kernel that a compile_kernel call means: sent whole, named, or edited from a base. It is
// stored before it is compiled: a kernel with errors can be a base too.
#pragma once

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// @errors kInvalidArgument: none or several of kernel, kernel_id and base; a malformed form;
///         kNotFound; kConflict: an edit whose old text does not match.
Result<Subject> choose_kernel(Services& services, const Json& arguments,
                              const std::stop_token& stop);

/// A problem as a client sent it, not stored yet. Its fills are checked, and where it is not known
/// its host reference is run once.
/// @errors kInvalidArgument: all errors of the form, a fill or the reference.
Result<Problem> new_problem(Services& services, const Json& sent, const std::stop_token& stop);

/// Whether choose_kernel() would run a foreign program, which may take seconds: a problem that is
/// not stored has a reference of kind `cuir` or `python`.
bool choice_takes_time(const Services& services, const Json& arguments);

}  // namespace ws
