// Numbers in memory as others: two halves in a register, the bits of a wider number in several.
#pragma once

#include <string>
#include <vector>

#include "runtime/lift/symbolic/objects.h"

namespace ws::lift {

/// How many numbers a variable of the threads holds.
std::size_t count_slots(const Object& variable);

/// The form of a variable's scalar that holds `leaf`.
Slot slot_of(const Terms& terms, const Leaf& leaf);

/// Reads what is in memory as a number of `type`: a cleared register is zero as a float, too.
/// @param name  Of the memory, for the reason.
/// @errors kUnsupported: it has the bits of another type.
Result<Leaf> as_real(Terms& terms, const Leaf& leaf, DType type, const std::string& name);

/// The values of `parts` elements of `type` that have the bits of one wider number.
/// @errors kUnsupported: the number was not put together of such elements, and is not zero.
Result<std::vector<TermId>> bit_parts(Terms& terms, TermId number, std::size_t parts, DType type);

}  // namespace ws::lift
