// How large an expression is once it is printed, without printing it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/ir/syntax/ast.h"

namespace ws::ir {

struct PrintedSize {
  std::size_t bytes = 0;
  /// How deep the parser's rules call each other when they read the text: kMaxExprNesting bounds
  /// that, too, and parentheses count in it.
  std::uint32_t nesting = 0;
};

/// @param kids  The sizes of the expressions that `expr` is made of, by ExprId.
/// @return Its size; the children's count once for each time that they are printed. Any thread.
PrintedSize printed_size(const Program& program, const Expr& expr,
                         const std::vector<PrintedSize>& kids);

}  // namespace ws::ir
