// The next steps of an answer. Beside calls (next_step) there is advice: if the next call needs
// something that only the caller can write, the step says in words what to send. So each step with
// a `tool` is a call that the server accepts as it is.
#pragma once

#include <string>

#include "tools/tool.h"

namespace ws {

/// {"why"}: what to do, in words.
Json advice(const std::string& why);

/// {"read", "why"}: a resource to read first.
Json read_step(const std::string& uri, const std::string& why);

/// Reading a kernel's source, to change it by `tool` with `base` and `edits`.
/// @param why  The change to make: "fix the lines that the diagnostics name".
Json edit_step(const std::string& tool, const std::string& kernel_id, const std::string& why);

}  // namespace ws
