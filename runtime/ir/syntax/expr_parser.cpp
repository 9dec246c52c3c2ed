#include "runtime/ir/syntax/expr_parser.h"

#include <algorithm>
#include <array>

namespace ws::ir {
namespace {

constexpr std::array<std::string_view, 32> kKeywords = {
    "and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
    "def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
    "global", "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",
    "or",     "pass", "raise",  "return", "try",    "while",   "with",     "yield"};

}  // namespace

bool is_keyword(std::string_view word) {
  return word == "True" || word == "False" || word == "None" ||
         std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

// Counts how deep the rules call each other: the tree's own depth is known only afterwards.
class ExprParser::Deeper {
 public:
  explicit Deeper(ExprParser& parser)
      : parser_(parser) {
    if (++parser_.nesting_ > kMaxExprNesting) {
      parser_.cursor_.error(parser_.cursor_.peek().place,
                            "nested more than " + std::to_string(kMaxExprNesting) + " deep",
                            "give parts of the expression names");
    }
  }

  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

  ~Deeper() { --parser_.nesting_; }

 private:
  ExprParser& parser_;
};

ExprId ExprParser::add(Expr expr) {
  if (cursor_.failed()) {
    return kNoExpr;
  }
  for (const ExprId kid : expr.kids) {
    expr.depth = std::max(expr.depth, kid == kNoExpr ? 1 : program_.exprs[kid].depth + 1);
  }
  if (expr.depth > kMaxExprNesting) {
    cursor_.error(expr.place, "nested more than " + std::to_string(kMaxExprNesting) + " deep",
                  "give parts of the expression names");
    return kNoExpr;
  }
  program_.exprs.push_back(std::move(expr));
  return static_cast<ExprId>(program_.exprs.size() - 1);
}

ExprId ExprParser::tuple() {
  Expr expr;
  expr.kind = ExprKind::kTuple;
  expr.place = cursor_.peek().place;
  expr.kids.push_back(expression());
  if (!cursor_.is(",")) {
    return expr.kids.front();
  }
  while (cursor_.take_if(",") && !cursor_.is(TokenKind::kNewline) && !cursor_.is("=")) {
    expr.kids.push_back(expression());
  }
  return add(std::move(expr));
}

ExprId ExprParser::expression() {
  const Deeper deeper(*this);
  const ExprId value = climb(1);
  if (!cursor_.is("if")) {
    return value;
  }
  Expr expr;
  expr.kind = ExprKind::kIfElse;
  expr.place = cursor_.take().place;
  expr.kids = {value, climb(1)};
  cursor_.expect("else");
  expr.kids.push_back(expression());
  return add(std::move(expr));
}

const OperatorInfo* ExprParser::infix() const {
  if (!cursor_.is(TokenKind::kSymbol) && !cursor_.is("and") && !cursor_.is("or")) {
    return nullptr;
  }
  for (const OperatorInfo& row : all_operators()) {
    if (row.kind != OperatorKind::kPrefix && row.text == cursor_.peek().text) {
      return &row;
    }
  }
  return nullptr;
}

ExprId ExprParser::climb(int precedence) {
  ExprId left = prefix();
  for (const OperatorInfo* row = infix(); row != nullptr && row->precedence >= precedence;
       row = infix()) {
    const SourcePlace place = cursor_.take().place;
    left = join(left, *row, place);
  }
  return left;
}

// `left` and one operator are taken; the operands of a chain are collected in one node.
ExprId ExprParser::join(ExprId left, const OperatorInfo& row, SourcePlace place) {
  const Deeper deeper(*this);
  Expr expr;
  expr.place = place;
  expr.operators = {row.op};
  const int tighter = row.kind == OperatorKind::kRight ? row.precedence : row.precedence + 1;
  expr.kids = {left, climb(tighter)};
  if (row.kind == OperatorKind::kLogic) {
    expr.kind = ExprKind::kLogic;
    while (cursor_.take_if(row.text)) {
      expr.kids.push_back(climb(tighter));
    }
  } else if (row.kind == OperatorKind::kCompare) {
    expr.kind = ExprKind::kCompare;
    for (const OperatorInfo* next = infix();
         next != nullptr && next->kind == OperatorKind::kCompare; next = infix()) {
      cursor_.take();
      expr.operators.push_back(next->op);
      expr.kids.push_back(climb(tighter));
    }
  } else {
    expr.kind = ExprKind::kBinary;
  }
  return add(std::move(expr));
}

ExprId ExprParser::prefix() {
  for (const OperatorInfo& row : all_operators()) {
    if (row.kind == OperatorKind::kPrefix && cursor_.is(row.text)) {
      const Deeper deeper(*this);
      Expr expr;
      expr.kind = ExprKind::kUnary;
      expr.place = cursor_.take().place;
      expr.operators = {row.op};
      expr.kids = {climb(row.precedence)};
      return add(std::move(expr));
    }
  }
  return postfix();
}

ExprId ExprParser::postfix() {
  ExprId value = atom();
  while (!cursor_.failed()) {
    if (cursor_.is("(")) {
      value = call(value);
    } else if (cursor_.is("[")) {
      value = index(value);
    } else if (cursor_.take_if(".")) {
      Expr expr;
      expr.kind = ExprKind::kAttribute;
      expr.place = cursor_.peek().place;
      expr.kids = {value};
      if (!cursor_.is(TokenKind::kName)) {
        cursor_.unexpected("a name after `.`");
      }
      expr.text = cursor_.take().text;
      if (drops_library(value, expr.text)) {
        program_.exprs[value].text = expr.text;
      } else {
        value = add(std::move(expr));
      }
    } else {
      break;
    }
  }
  return value;
}

// `np.exp(x)` is exp(x), and `math.inf` is inf.
bool ExprParser::drops_library(ExprId base, const std::string& name) const {
  const Expr* const expr = base == kNoExpr ? nullptr : &program_.exprs[base];
  return expr != nullptr && expr->kind == ExprKind::kName && is_library(expr->text) &&
         is_in_libraries(name) && (name == "inf" || cursor_.is("("));
}

// The operation's own name for an argument; a method of the class has its own names.
std::string ExprParser::argument_name(ExprId callee, const std::string& name) const {
  const Expr& expr = program_.exprs[callee];
  const bool own = expr.kind == ExprKind::kAttribute && program_.exprs[expr.kids[0]].text == "self";
  const std::optional<Op> op = own ? std::nullopt : find_op(expr.text);
  return op ? std::string(parameter_of(info_of(*op), name)) : name;
}

ExprId ExprParser::atom() {
  const Token token = cursor_.peek();
  Expr expr;
  expr.place = token.place;
  if (token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat) {
    return number(cursor_.take());
  }
  if (token.kind == TokenKind::kString) {
    expr.kind = ExprKind::kString;
    expr.text = cursor_.take().text;
    return add(std::move(expr));
  }
  if (cursor_.take_if("(")) {
    return brackets(")");
  }
  if (cursor_.take_if("[")) {
    return brackets("]");
  }
  if (token.kind == TokenKind::kName && !is_keyword(token.text)) {
    expr.kind = ExprKind::kName;
    expr.text = cursor_.take().text;
    return add(std::move(expr));
  }
  if (cursor_.take_if("None")) {
    return add(std::move(expr));
  }
  if (cursor_.is("True") || cursor_.is("False")) {
    expr.kind = ExprKind::kBool;
    expr.integer = cursor_.take().text == "True" ? 1 : 0;
    return add(std::move(expr));
  }
  cursor_.unexpected("a value", cursor_.is("lambda") || cursor_.is("yield") || cursor_.is("await")
                                    ? "CuIR has no such expression"
                                    : "");
  return kNoExpr;
}

ExprId ExprParser::number(const Token& token) {
  Expr expr;
  expr.kind = token.kind == TokenKind::kFloat ? ExprKind::kFloat : ExprKind::kInteger;
  expr.place = token.place;
  expr.integer = token.integer;
  expr.number = token.number;
  expr.text = token.text;
  return add(std::move(expr));
}

// After `(` or `[`: a tuple, or an expression in parentheses.
ExprId ExprParser::brackets(std::string_view close) {
  Expr expr;
  expr.kind = ExprKind::kTuple;
  expr.place = cursor_.peek().place;
  bool is_tuple = close == "]" || cursor_.is(close);
  while (!cursor_.is(close) && !cursor_.failed()) {
    expr.kids.push_back(expression());
    if (!cursor_.take_if(",")) {
      break;
    }
    is_tuple = true;
  }
  if (cursor_.is("for")) {
    cursor_.error(cursor_.peek().place, "comprehensions are not part of CuIR", "write a loop");
  }
  cursor_.expect(close);
  return is_tuple || expr.kids.empty() ? add(std::move(expr)) : expr.kids.front();
}

ExprId ExprParser::call(ExprId callee) {
  Expr expr;
  expr.kind = ExprKind::kCall;
  expr.place = program_.exprs[callee].place;
  expr.kids = {callee};
  cursor_.expect("(");
  while (!cursor_.is(")") && !cursor_.failed()) {
    if (cursor_.is(TokenKind::kName) && cursor_.is_next("=")) {
      expr.keywords.push_back(argument_name(callee, std::string(cursor_.take().text)));
      cursor_.take();
    } else if (!expr.keywords.empty()) {
      cursor_.error(cursor_.peek().place, "a positional argument after a named one",
                    "name this argument too, or move it before");
    }
    expr.kids.push_back(expression());
    if (!cursor_.take_if(",")) {
      break;
    }
  }
  cursor_.expect(")");
  return add(std::move(expr));
}

ExprId ExprParser::index(ExprId base) {
  Expr expr;
  expr.kind = ExprKind::kIndex;
  expr.place = cursor_.peek().place;
  expr.kids = {base};
  cursor_.expect("[");
  do {
    expr.kids.push_back(subscript());
  } while (cursor_.take_if(",") && !cursor_.is("]"));
  cursor_.expect("]");
  return add(std::move(expr));
}

ExprId ExprParser::subscript() {
  Expr expr;
  expr.kind = ExprKind::kSlice;
  expr.place = cursor_.peek().place;
  expr.kids.push_back(cursor_.is(":") ? kNoExpr : expression());
  if (!cursor_.is(":")) {
    return expr.kids.front();
  }
  while (cursor_.take_if(":")) {
    const bool open = cursor_.is(":") || cursor_.is(",") || cursor_.is("]");
    expr.kids.push_back(open ? kNoExpr : expression());
  }
  constexpr std::size_t parts = 3;
  if (expr.kids.size() > parts) {
    cursor_.error(expr.place, "a slice has at most three parts");
  }
  expr.kids.resize(parts, kNoExpr);
  return add(std::move(expr));
}

}  // namespace ws::ir
