// Questions about expressions of a tree.
#pragma once

#include <optional>

#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

/// Whether two expressions are the same, wherever they stand. Any thread.
bool is_same(const Program& program, ExprId one, ExprId other);

/// Whether `part` is `whole`, or stands somewhere in it. Visits a node once, however often it is
/// printed. @param part  No large one: it is compared with each node. Any thread.
bool mentions(const Program& program, ExprId whole, ExprId part);

/// Whether an expression divides somewhere, or takes what a division leaves. Any thread.
bool divides(const Program& program, ExprId id);

/// The operation that an expression calls; nothing: it is no such call. Any thread.
std::optional<Op> called_op(const Program& program, ExprId id);

}  // namespace ws::ir
