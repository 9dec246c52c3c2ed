#include "runtime/ir/syntax/tree_builder.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/expr_parser.h"
#include "runtime/ir/syntax/lexer.h"

namespace ws::ir {
namespace {

constexpr std::size_t kIndentBytes = 4;

Expr leaf(ExprKind kind, std::string text = {}) {
  Expr expr;
  expr.kind = kind;
  expr.text = std::move(text);
  return expr;
}

Expr node(ExprKind kind, std::vector<ExprId> kids, std::vector<Operator> operators = {}) {
  Expr expr;
  expr.kind = kind;
  expr.kids = std::move(kids);
  expr.operators = std::move(operators);
  return expr;
}

/// Whether the lexer takes a text for a name.
bool is_name(const std::string& text) {
  return !text.empty() && is_word_start(text[0]) && std::ranges::all_of(text, is_word);
}

/// Whether an expression stands for one that cannot be.
bool is_bad(ExprId id) {
  return id == TreeBuilder::kTooLarge || id == TreeBuilder::kUnreadable;
}

}  // namespace

TreeBuilder::TreeBuilder() {
  program_.exprs.resize(2);  // kTooLarge and kUnreadable
  sizes_.resize(2);
}

ExprId TreeBuilder::measure(ExprId id) {
  const Expr& expr = program_.exprs[id];
  for (const ExprId kid : expr.kids) {
    if (kid != kNoExpr && is_bad(kid)) {
      return kid;
    }
  }
  sizes_[id] = printed_size(program_, expr, sizes_);
  // The parser counts the whole expression as one level more.
  const bool fits = sizes_[id].bytes <= kMaxProgramBytes && expr.depth <= kMaxExprNesting &&
                    sizes_[id].nesting < kMaxExprNesting;
  return fits ? id : kTooLarge;
}

ExprId TreeBuilder::add(Expr expr) {
  for (const ExprId kid : expr.kids) {
    if (kid != kNoExpr && is_bad(kid)) {
      return kid;
    }
    expr.depth = std::max(expr.depth, kid == kNoExpr ? 1 : program_.exprs[kid].depth + 1);
  }
  program_.exprs.push_back(std::move(expr));
  sizes_.emplace_back();
  return measure(static_cast<ExprId>(program_.exprs.size() - 1));
}

ExprId TreeBuilder::name(std::string text) {
  if (!is_name(text)) {
    return kUnreadable;  // C has names with other characters.
  }
  return add(leaf(ExprKind::kName, std::move(text)));
}

ExprId TreeBuilder::integer(std::int64_t value) {
  if (value == INT64_MIN) {
    return kTooLarge;  // No token holds it without its sign.
  }
  const std::int64_t size = value < 0 ? -value : value;
  Expr expr = leaf(ExprKind::kInteger, std::to_string(size));
  expr.integer = size;
  const ExprId number = add(std::move(expr));
  return value < 0 ? unary(Operator::kNegate, number) : number;
}

ExprId TreeBuilder::real(double value, std::string text) {
  Expr expr = leaf(ExprKind::kFloat, std::move(text));
  expr.number = value;
  return add(std::move(expr));
}

ExprId TreeBuilder::string(std::string text) {
  return add(leaf(ExprKind::kString, std::move(text)));
}

ExprId TreeBuilder::boolean(bool value) {
  Expr expr = leaf(ExprKind::kBool);
  expr.integer = value ? 1 : 0;
  return add(std::move(expr));
}

ExprId TreeBuilder::none() {
  return add(leaf(ExprKind::kNone));
}

ExprId TreeBuilder::attribute(ExprId base, std::string name) {
  if (!is_name(name)) {
    return kUnreadable;
  }
  Expr expr = node(ExprKind::kAttribute, {base});
  expr.text = std::move(name);
  return add(std::move(expr));
}

ExprId TreeBuilder::self(std::string name) {
  return attribute(this->name("self"), std::move(name));
}

ExprId TreeBuilder::index(ExprId base, const std::vector<ExprId>& subscripts) {
  std::vector<ExprId> kids = {base};
  kids.insert(kids.end(), subscripts.begin(), subscripts.end());
  return add(node(ExprKind::kIndex, std::move(kids)));
}

ExprId TreeBuilder::slice(ExprId from, ExprId to) {
  return add(node(ExprKind::kSlice, {from, to, kNoExpr}));
}

ExprId TreeBuilder::tuple(std::vector<ExprId> items) {
  return add(node(ExprKind::kTuple, std::move(items)));
}

ExprId TreeBuilder::call(ExprId callee, const std::vector<ExprId>& args, const Keywords& keywords) {
  Expr expr = node(ExprKind::kCall, {callee});
  expr.kids.insert(expr.kids.end(), args.begin(), args.end());
  for (const auto& [keyword, value] : keywords) {
    expr.keywords.push_back(keyword);
    expr.kids.push_back(value);
  }
  return add(std::move(expr));
}

ExprId TreeBuilder::call(Op op, const std::vector<ExprId>& args, const Keywords& keywords) {
  return call(name(std::string(info_of(op).name)), args, keywords);
}

ExprId TreeBuilder::unary(Operator op, ExprId operand) {
  return add(node(ExprKind::kUnary, {operand}, {op}));
}

ExprId TreeBuilder::binary(Operator op, ExprId left, ExprId right) {
  const OperatorKind kind = info_of(op).kind;
  const ExprKind made = kind == OperatorKind::kLogic     ? ExprKind::kLogic
                        : kind == OperatorKind::kCompare ? ExprKind::kCompare
                                                         : ExprKind::kBinary;
  return add(node(made, {left, right}, {op}));
}

ExprId TreeBuilder::parsed(const std::string& text) {
  const std::size_t first = program_.exprs.size();
  Diagnostics diagnostics;
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  Cursor cursor(lex(std::string_view(text).substr(begin), diagnostics), diagnostics);
  const ExprId made = ExprParser(cursor, program_).expression();
  const bool whole = diagnostics.empty() && cursor.is(TokenKind::kNewline);
  sizes_.resize(program_.exprs.size());
  ExprId last = kUnreadable;
  for (std::size_t id = first; id < program_.exprs.size() && whole; ++id) {
    last = measure(static_cast<ExprId>(id));
    if (is_bad(last)) {
      return last;
    }
  }
  return whole ? made : kUnreadable;
}

StmtId TreeBuilder::add(Stmt stmt) {
  stmt_sizes_.push_back(measure(stmt));
  program_.stmts.push_back(std::move(stmt));
  return static_cast<StmtId>(program_.stmts.size() - 1);
}

StmtId TreeBuilder::assignment(ExprId target, ExprId value, std::string trailing) {
  Stmt stmt;
  stmt.kind = StmtKind::kAssign;
  stmt.targets = {target};
  stmt.value = value;
  stmt.trailing = std::move(trailing);
  return add(std::move(stmt));
}

StmtId TreeBuilder::statement(ExprId value, std::string trailing) {
  Stmt stmt;
  stmt.kind = StmtKind::kExpr;
  stmt.value = value;
  stmt.trailing = std::move(trailing);
  return add(std::move(stmt));
}

StmtId TreeBuilder::loop(const std::string& variable, ExprId range, std::vector<StmtId> body,
                         std::string trailing) {
  Stmt stmt;
  stmt.kind = StmtKind::kFor;
  stmt.targets = {name(variable)};
  stmt.value = range;
  stmt.arms.push_back({kNoExpr, {}, std::move(body)});
  stmt.trailing = std::move(trailing);
  return add(std::move(stmt));
}

StmtId TreeBuilder::branch(ExprId condition, std::vector<StmtId> body, std::string trailing) {
  Stmt stmt;
  stmt.kind = StmtKind::kIf;
  stmt.arms.push_back({condition, {}, std::move(body)});
  stmt.trailing = std::move(trailing);
  return add(std::move(stmt));
}

StmtId TreeBuilder::leave() {
  Stmt stmt;
  stmt.kind = StmtKind::kReturn;
  return add(std::move(stmt));
}

StmtId TreeBuilder::pass() {
  return add(Stmt());
}

const Program& TreeBuilder::finish(std::string name, std::vector<Method> methods) {
  program_.name = std::move(name);
  program_.base = "KernelBase";
  program_.methods = std::move(methods);
  return program_;
}

/// printer.cpp has the texts.
TreeBuilder::StmtSize TreeBuilder::measure(const Stmt& stmt) const {
  constexpr std::size_t kLineEnd = 1;
  constexpr std::size_t kGap = 2;  // Before the comment.
  StmtSize size;
  size.bytes = kLineEnd + (stmt.trailing.empty() ? 0 : kGap + stmt.trailing.size());
  const auto part = [&](ExprId id, std::string_view words) {
    size.bytes += bytes(id) + words.size();
    size.bad = is_bad(id) ? id : size.bad;
  };
  switch (stmt.kind) {
    case StmtKind::kAssign:
      part(stmt.targets[0], " = ");
      part(stmt.value, "");
      break;
    case StmtKind::kFor:
      part(stmt.targets[0], "for ");
      part(stmt.value, " in :");
      break;
    case StmtKind::kIf:
      part(stmt.arms[0].condition, "if :");
      break;
    case StmtKind::kReturn:
      size.bytes += std::string_view("return").size();
      break;
    case StmtKind::kExpr:
      part(stmt.value, "");
      break;
    default:
      size.bytes += std::string_view("pass").size();
      break;
  }
  for (const Arm& arm : stmt.arms) {
    for (const StmtId id : arm.body) {
      const StmtSize& own = stmt_sizes_[id];
      size.bytes += own.bytes + kIndentBytes * own.lines;
      size.lines += own.lines;
      size.bad = own.bad == kNoExpr ? size.bad : own.bad;
    }
  }
  return size;
}

Status TreeBuilder::check(ExprId id) {
  if (id == kTooLarge) {
    return fail(ErrorCode::kUnsupported, "an expression that is too large");
  }
  return id == kUnreadable
             ? fail(ErrorCode::kUnsupported, "an expression or a name that CuIR does not have")
             : Status();
}

Status TreeBuilder::check_body(const std::vector<StmtId>& body) const {
  for (const StmtId id : body) {
    WS_CHECK(check(stmt_sizes_[id].bad));
  }
  return {};
}

std::size_t TreeBuilder::bytes(const std::vector<StmtId>& body, std::size_t level) const {
  std::size_t sum = 0;
  for (const StmtId id : body) {
    sum += stmt_sizes_[id].bytes + kIndentBytes * level * stmt_sizes_[id].lines;
  }
  return sum;
}

}  // namespace ws::ir
