// Expressions: precedence climbing over operators.def, with bounded depth.
#pragma once

#include "runtime/ir/syntax/ast.h"
#include "runtime/ir/syntax/cursor.h"

namespace ws::ir {

class ExprParser {
 public:
  ExprParser(Cursor& cursor, Program& program)
      : cursor_(cursor),
        program_(program) {}

  /// `a if c else b` and everything that binds tighter. kNoExpr after an error.
  ExprId expression();

  /// expression(), or several with commas between them: a tuple.
  ExprId tuple();

 private:
  class Deeper;

  ExprId add(Expr expr);
  ExprId climb(int precedence);
  ExprId prefix();
  ExprId postfix();
  ExprId atom();
  ExprId number(const Token& token);
  ExprId brackets(std::string_view close);
  ExprId call(ExprId callee);
  ExprId index(ExprId base);
  ExprId subscript();
  [[nodiscard]] bool drops_library(ExprId base, const std::string& name) const;
  [[nodiscard]] std::string argument_name(ExprId callee, const std::string& name) const;
  [[nodiscard]] const OperatorInfo* infix() const;
  ExprId join(ExprId left, const OperatorInfo& row, SourcePlace place);

  Cursor& cursor_;
  Program& program_;
  std::uint32_t nesting_ = 0;
};

/// Words that cannot be names: `if`, `def`, `True`, ...
bool is_keyword(std::string_view word);

}  // namespace ws::ir
