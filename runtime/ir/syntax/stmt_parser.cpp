#include "runtime/ir/syntax/stmt_parser.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ws::ir {
namespace {

struct Foreign {
  std::string_view word;
  std::string_view hint;
};

// Python that CuIR lacks, and what to write instead.
constexpr std::array<Foreign, 13> kForeign = {{
    {"with", "start and wait for work with the operations themselves"},
    {"try", "nothing raises here"},
    {"raise", "nothing raises here"},
    {"except", "nothing raises here"},
    {"finally", "nothing raises here"},
    {"lambda", "write a method"},
    {"global", "use self"},
    {"nonlocal", "use self"},
    {"del", "names end with their method"},
    {"async", "use copy_async and gemm_async"},
    {"await", "use wait_group or barrier.wait"},
    {"yield", "write a loop"},
    {"assert", "an `if` around the work says the same"},
}};

}  // namespace

StmtId StmtParser::add(Stmt stmt) {
  program_.stmts.push_back(std::move(stmt));
  return static_cast<StmtId>(program_.stmts.size() - 1);
}

void StmtParser::take_comments() {
  while (cursor_.is(TokenKind::kComment)) {
    pending_.emplace_back(cursor_.take().text);
  }
}

std::vector<std::string> StmtParser::take_pending() {
  return std::exchange(pending_, {});
}

std::string StmtParser::name(const std::string& wanted) {
  const Token token = cursor_.peek();
  if (token.kind != TokenKind::kName || is_keyword(token.text)) {
    cursor_.unexpected(wanted);
  } else if (find_op(token.text) && !may_be_taken(token.text)) {
    cursor_.error(token.place, "`" + std::string(token.text) + "` is an operation",
                  "choose another name");
  }
  return std::string(cursor_.take().text);
}

std::string StmtParser::end_of_line() {
  if (!cursor_.is(TokenKind::kNewline)) {
    cursor_.unexpected("the end of the line");
  }
  return std::string(cursor_.take().text);
}

std::string StmtParser::open_block() {
  cursor_.expect(":");
  std::string comment = end_of_line();
  take_comments();
  if (!cursor_.is(TokenKind::kIndent)) {
    cursor_.unexpected("an indented block", "write `pass` where there is nothing to do");
  }
  cursor_.take();
  return comment;
}

void StmtParser::body(std::vector<StmtId>& into, std::string& trailing) {
  if (cursor_.is(":") && cursor_.peek(1).kind != TokenKind::kNewline) {
    cursor_.take();
    simple_line(into, simple());
    return;
  }
  if (++nesting_ > kMaxBlockNesting) {
    cursor_.error(cursor_.peek().place,
                  "blocks nested more than " + std::to_string(kMaxBlockNesting) + " deep",
                  "move the inner part into a method");
  }
  trailing = open_block();
  // A line with an error is given up alone: the ones after it are still read.
  const bool opened = !cursor_.failed();
  while (opened && !cursor_.is(TokenKind::kDedent) && !cursor_.is(TokenKind::kEnd)) {
    line(into);
    if (cursor_.failed()) {
      cursor_.recover();
    }
  }
  if (opened) {
    cursor_.take();
  }
  --nesting_;
}

void StmtParser::line(std::vector<StmtId>& into) {
  take_comments();
  if (cursor_.is(TokenKind::kDedent) || cursor_.is(TokenKind::kEnd)) {
    return;
  }
  if (cursor_.is(TokenKind::kIndent)) {
    cursor_.error(cursor_.peek().place, "this line is indented more than the one above",
                  "only the lines of a block below `:` are");
    cursor_.recover();
    return;
  }
  if (!compound(into)) {
    simple_line(into, simple());
  }
}

bool StmtParser::compound(std::vector<StmtId>& into) {
  for (const Foreign& row : kForeign) {
    if (cursor_.is(row.word)) {
      cursor_.error(cursor_.peek().place, "`" + std::string(row.word) + "` is not part of CuIR",
                    std::string(row.hint));
      return true;
    }
  }
  if (cursor_.is("def") || cursor_.is("class")) {
    cursor_.error(cursor_.peek().place,
                  "`" + std::string(cursor_.peek().text) + "` inside a method",
                  "methods stand in the class, and the class at the start of a line");
    return true;
  }
  if (!cursor_.is("if") && !cursor_.is("for") && !cursor_.is("while")) {
    return false;
  }
  std::vector<std::string> above = take_pending();
  Stmt stmt = cursor_.is("if")    ? if_statement()
              : cursor_.is("for") ? for_statement()
                                  : while_statement();
  stmt.above = std::move(above);
  into.push_back(add(std::move(stmt)));
  return true;
}

void StmtParser::simple_line(std::vector<StmtId>& into, Stmt stmt) {
  stmt.above = take_pending();
  into.push_back(add(std::move(stmt)));
  while (cursor_.take_if(";") && !cursor_.is(TokenKind::kNewline)) {
    into.push_back(add(simple()));
  }
  program_.stmts[into.back()].trailing = end_of_line();
}

void StmtParser::arm(Stmt& stmt, ExprId condition, SourcePlace place) {
  Arm arm{condition, place, {}};
  std::string comment;
  body(arm.body, comment);
  if (stmt.arms.empty()) {
    stmt.trailing = comment;
  } else if (!comment.empty() && !arm.body.empty()) {
    std::vector<std::string>& above = program_.stmts[arm.body.front()].above;
    above.insert(above.begin(), comment);
  }
  stmt.arms.push_back(std::move(arm));
}

Stmt StmtParser::if_statement() {
  Stmt stmt;
  stmt.kind = StmtKind::kIf;
  stmt.place = cursor_.peek().place;
  while (cursor_.is("if") || cursor_.is("elif")) {
    const SourcePlace place = cursor_.take().place;
    const ExprId condition = exprs_.expression();
    arm(stmt, condition, place);
    // Comments between the branches belong to what follows; only `elif` and `else` look past them.
    take_comments();
    if (cursor_.is("if")) {
      break;
    }
  }
  if (cursor_.is("else")) {
    const SourcePlace place = cursor_.take().place;
    arm(stmt, kNoExpr, place);
  }
  return stmt;
}

Stmt StmtParser::for_statement() {
  Stmt stmt;
  stmt.kind = StmtKind::kFor;
  stmt.place = cursor_.take().place;
  Expr target;
  target.kind = ExprKind::kName;
  target.place = cursor_.peek().place;
  target.text = name("a name for the loop's number");
  stmt.targets.push_back(static_cast<ExprId>(program_.exprs.size()));
  program_.exprs.push_back(std::move(target));
  cursor_.expect("in");
  stmt.value = exprs_.expression();
  arm(stmt, kNoExpr, stmt.place);
  return stmt;
}

Stmt StmtParser::while_statement() {
  Stmt stmt;
  stmt.kind = StmtKind::kWhile;
  stmt.place = cursor_.take().place;
  stmt.value = exprs_.expression();
  arm(stmt, kNoExpr, stmt.place);
  return stmt;
}

Stmt StmtParser::simple() {
  Stmt stmt;
  stmt.place = cursor_.peek().place;
  if (cursor_.is("import") || cursor_.is("from")) {
    return import();
  }
  if (cursor_.take_if("return")) {
    stmt.kind = StmtKind::kReturn;
    const bool empty = cursor_.is(TokenKind::kNewline) || cursor_.is(";");
    stmt.value = empty ? kNoExpr : exprs_.tuple();
  } else if (cursor_.take_if("pass") || cursor_.take_if("...")) {
    stmt.kind = StmtKind::kPass;
  } else if (cursor_.take_if("break")) {
    stmt.kind = StmtKind::kBreak;
  } else if (cursor_.take_if("continue")) {
    stmt.kind = StmtKind::kContinue;
  } else {
    return assignment();
  }
  return stmt;
}

// Imports mean nothing here; they are kept so that a program also passes for Python.
Stmt StmtParser::import() {
  Stmt stmt;
  stmt.kind = StmtKind::kImport;
  stmt.place = cursor_.peek().place;
  bool glued = true;
  while (!cursor_.is(TokenKind::kNewline) && !cursor_.is(";") && !cursor_.is(TokenKind::kEnd)) {
    const bool part = cursor_.is(TokenKind::kName) || cursor_.is(".") || cursor_.is(",") ||
                      cursor_.is("*") || cursor_.is("(") || cursor_.is(")");
    if (!part) {
      cursor_.unexpected("a name to import");
      break;
    }
    const std::string text(cursor_.take().text);
    const bool tight = text == "." || text == ",";
    stmt.text += (glued || tight ? "" : " ") + text;
    glued = text == ".";
  }
  return stmt;
}

Stmt StmtParser::assignment() {
  Stmt stmt;
  stmt.place = cursor_.peek().place;
  stmt.value = exprs_.tuple();
  const Token token = cursor_.peek();
  if (token.kind == TokenKind::kSymbol && token.text.size() > 1 && token.text.back() == '=') {
    for (const OperatorInfo& row : all_operators()) {
      const bool arithmetic = row.kind == OperatorKind::kLeft || row.kind == OperatorKind::kRight;
      if (arithmetic && row.text == token.text.substr(0, token.text.size() - 1)) {
        cursor_.take();
        stmt.kind = StmtKind::kAugment;
        stmt.op = row.op;
        stmt.targets = {stmt.value};
        stmt.value = exprs_.tuple();
      }
    }
  }
  stmt.kind = stmt.targets.empty() ? StmtKind::kExpr : StmtKind::kAugment;
  while (stmt.kind != StmtKind::kAugment && cursor_.take_if("=")) {
    stmt.targets.push_back(stmt.value);
    stmt.value = exprs_.tuple();
  }
  stmt.kind = stmt.kind == StmtKind::kExpr && !stmt.targets.empty() ? StmtKind::kAssign : stmt.kind;
  for (const ExprId target : stmt.targets) {
    check_target(target);
  }
  return stmt;
}

void StmtParser::check_target(ExprId target) {
  if (cursor_.failed()) {
    return;
  }
  const Expr& expr = program_.expr(target);
  if (expr.kind == ExprKind::kTuple) {
    const std::vector<ExprId> kids = expr.kids;
    for (const ExprId kid : kids) {
      check_target(kid);
    }
  } else if (expr.kind == ExprKind::kName && find_op(expr.text) && !may_be_taken(expr.text)) {
    cursor_.error(expr.place, "`" + expr.text + "` is an operation", "choose another name");
  } else if (expr.kind != ExprKind::kName && expr.kind != ExprKind::kAttribute &&
             expr.kind != ExprKind::kIndex) {
    cursor_.error(expr.place, "this cannot be assigned to",
                  "assign to a name, to self.name or to a part of a buffer");
  }
}

}  // namespace ws::ir
