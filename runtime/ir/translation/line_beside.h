// The place of something that a program lacks.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/ir/translation/facts.h"

namespace ws::ir {

/// The line of `own` that stands where `missing`, a fact of `other` itself, would: that of the
/// nearest fact before or after it that both programs have as often, one of its own line first.
/// 0: they have none in common.
std::uint32_t line_beside(const Fact& missing, const std::vector<Fact>& own,
                          const std::vector<Fact>& other);

}  // namespace ws::ir
