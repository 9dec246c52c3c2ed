// How a lifted program begins.
#pragma once

#include <string>

#include "runtime/ir/syntax/tree_builder.h"
#include "runtime/lift/input.h"

namespace ws::lift {

/// The program's __init__, up to what it allocates. @param tree  Gets its statements.
ir::Method init_method(ir::TreeBuilder& tree, const LaunchInput& input);

/// The same as text: the class `name` with this method.
std::string program_head(const std::string& name, const LaunchInput& input);

}  // namespace ws::lift
