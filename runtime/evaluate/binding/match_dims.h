// Finds the order of dimensions in which the shapes of two problems agree.
#pragma once

#include "runtime/evaluate/binding/binding.h"

namespace ws {

/// Gives each argument of the binding its order, and each dim of the other problem that their
/// shapes show its size; what is known already stays.
/// @return  False: nothing fits; the binding is as before.
bool match_dims(const Problem& own, const Problem& other, Binding& binding);

}  // namespace ws
