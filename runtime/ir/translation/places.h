// Compares two places of one tensor.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/ir/translation/position.h"
#include "runtime/ir/translation/rules.h"

namespace ws::ir {

/// Terms in which they differ; 0: at most the constant.
std::size_t distance(const Position& a, const Position& b);

/// The lanes of all dimensions taken for one.
Position without_dims(const Position& position);

/// The mistake that makes a place of `wanted`; they are not equal. Nothing: tiles of other sizes
/// cannot be compared.
std::optional<TranslationRule> rule_of_place(const Position& place, const Position& wanted,
                                             bool writes);

}  // namespace ws::ir
