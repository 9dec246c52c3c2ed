// Where variables of a kernel get what they stand for.
#pragma once

#include <vector>

#include "runtime/lift/tree/tree.h"

namespace ws::lift {

struct Binding {
  VariableId variable = kNone;
  NodeId source = kNone;
};

/// The first values of variables, and the arguments that any call gives to parameters.
std::vector<Binding> bindings_of(const Tree& tree);

}  // namespace ws::lift
