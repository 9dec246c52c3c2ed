// Checks a program before anything runs, for given arguments: every name, operation, type and
// shape, on every path that these arguments leave open.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/ir/check/type.h"
#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

/// The value that the caller gives for a parameter of __init__: a tensor (a global buffer) or a
/// number.
struct KernelArg {
  std::string name;
  Type type;
};

/// True when the program can run with these arguments. Conditions that are constant choose their
/// branch, so that one source may hold several variants; the other branch is not looked at. Any
/// thread.
/// @param types  Gets the type of each expression, as it was seen last; kNone where it was not.
bool check(const Program& program, std::span<const KernelArg> args, Diagnostics& diagnostics,
           std::vector<Type>* types = nullptr);

}  // namespace ws::ir
