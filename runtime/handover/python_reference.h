// A reference in Python, as a program of its own that an exported CUDA program calls.
#pragma once

#include <string>

#include "runtime/handover/handover.h"

namespace ws {

/// The name of the file, for a module of this name: "softmax_reference.py".
std::string python_reference_name(const std::string& module);

/// Its text. Needs compared_with() to be kModule or kFunction.
std::string python_reference_text(const Handover& handover);

}  // namespace ws
