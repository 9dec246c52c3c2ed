// Conversions to and from floats of few bits: tf32, and pairs of numbers of 8 bits.
#pragma once

#include "runtime/compile/clang/ptx/step.h"

namespace ws::clang_engine::ptx {

/// Whether the conversion has a type of which this file knows.
bool converts_small_floats(const Step& step);
void emit_small_conversion(Step& step);

}  // namespace ws::clang_engine::ptx
