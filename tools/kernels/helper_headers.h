// The helper files of the skills, found by the #include lines of a kernel.
#pragma once

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Adds to `headers` of a kernel's form the helper files that its text includes and that did not
/// come with it, and those that they include: a stored kernel is whole by itself, whatever becomes
/// of the library. A form that is none stays as it is. @return Whether something was added.
bool add_helper_headers(const Services& services, Json& form);

}  // namespace ws
