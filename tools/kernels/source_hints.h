// Says of a source that does not compile what its compiler cannot know: that it is host code, or
// that a launch names a function which is not there.
#pragma once

#include <optional>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/kernel/kernel.h"

namespace ws {

/// The diagnostic to put before the compiler's own; nothing where these are all there is to say.
/// Any thread.
std::optional<Diagnostic> source_hint(const Kernel& kernel);

}  // namespace ws
