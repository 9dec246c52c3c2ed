// Where a phase ends, and whether all threads that begin it together end it together.
#pragma once

#include "runtime/compile/clang/phases/cut.h"

namespace ws::clang_engine {

/// @param number  As for cut_phase().
bool ends_same_way(const CutSource& source, std::size_t number);

}  // namespace ws::clang_engine
