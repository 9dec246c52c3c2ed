// Findings of the executor, in the words of the kernel's language.
#pragma once

#include <string>

#include "runtime/device/backend.h"

namespace ws {

/// Changes a finding that names operations of CuIR.
/// @param language  "triton", "cutile" or "cutile_jl".
TileFinding in_words_of(const std::string& language, TileFinding finding);

}  // namespace ws
