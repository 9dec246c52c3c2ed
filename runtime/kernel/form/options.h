// The compiler options that a kernel may ask for.
#pragma once

#include <string>

#include "runtime/base/result.h"

namespace ws {

/// Accepts the options of the one list in options.cpp; everything else is refused by name, above
/// all what reads or writes a file or loads a plug-in.
/// @errors kInvalidArgument: "option `-I/etc` is not allowed", with the list in the hint.
Status check_option(const std::string& option);

/// The name of a header sent along, as it is included: relative, without `..`, in
/// [A-Za-z0-9_.+/-]{1,128}.
/// @errors kInvalidArgument.
Status check_header_name(const std::string& name);

}  // namespace ws
