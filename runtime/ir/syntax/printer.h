// A tree to its canonical text.
#pragma once

#include <string>

#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

/// Four spaces a level, one statement a line, no parentheses but needed ones, lists as tuples,
/// comments kept. Parsing the result and printing it again gives the same text. Any thread.
std::string print(const Program& program);

std::string print_expr(const Program& program, ExprId id);

/// Whether child number `kid` of `parent` is printed in parentheses. @param kid  Not of kNoExpr.
bool in_parentheses(const Program& program, const Expr& parent, std::size_t kid);

/// One statement with its block, indented by `level` levels.
std::string print_stmt(const Program& program, StmtId id, int level);

}  // namespace ws::ir
