// Statements and blocks.
#pragma once

#include <string>
#include <vector>

#include "runtime/ir/syntax/expr_parser.h"

namespace ws::ir {

class StmtParser {
 public:
  StmtParser(Cursor& cursor, Program& program)
      : cursor_(cursor),
        program_(program),
        exprs_(cursor, program) {}

  /// One logical line: a compound statement, or simple ones with `;` between them.
  void line(std::vector<StmtId>& into);

  /// `:`, then a block or simple statements on the same line.
  void body(std::vector<StmtId>& into, std::string& trailing);

  /// `:` and the start of an indented block; the comment after the `:`.
  std::string open_block();

  /// A name that is no keyword and no operation.
  std::string name(const std::string& wanted);

  /// Keeps the comment lines that come now for the next statement.
  void take_comments();
  std::vector<std::string> take_pending();

  /// Takes the end of the line; its comment.
  std::string end_of_line();

  ExprParser& exprs() { return exprs_; }

 private:
  StmtId add(Stmt stmt);
  bool compound(std::vector<StmtId>& into);
  void simple_line(std::vector<StmtId>& into, Stmt stmt);
  Stmt if_statement();
  Stmt for_statement();
  Stmt while_statement();
  void arm(Stmt& stmt, ExprId condition, SourcePlace place);
  Stmt simple();
  Stmt import();
  Stmt assignment();
  void check_target(ExprId target);

  Cursor& cursor_;
  Program& program_;
  ExprParser exprs_;
  std::vector<std::string> pending_;
  std::uint32_t nesting_ = 0;
};

}  // namespace ws::ir
