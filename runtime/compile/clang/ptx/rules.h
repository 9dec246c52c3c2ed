// Rules of PTX for instructions of which each part is known: NVIDIA's assembler refuses what breaks
// one.
#pragma once

#include <string>

#include "runtime/compile/clang/ptx/step.h"

namespace ws::clang_engine::ptx {

/// The rule that a modifier breaks beside those before it; "" where it breaks none.
std::string broken_by(Modifier modifier, Modifiers before);

/// The rule that an instruction breaks as a whole, with all of its modifiers and types; "" where it
/// breaks none.
std::string broken_rule(const Instruction& instruction);

/// The same for a conversion.
std::string broken_conversion(const Instruction& instruction);

}  // namespace ws::clang_engine::ptx
