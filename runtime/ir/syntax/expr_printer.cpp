#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

// How tightly things bind beyond the operators of operators.def.
constexpr int kIfElsePrecedence = 0;
constexpr int kPostfixPrecedence = 20;

int precedence_of(const Expr& expr) {
  if (expr.kind == ExprKind::kIfElse) {
    return kIfElsePrecedence;
  }
  return expr.operators.empty() ? kPostfixPrecedence : info_of(expr.operators.front()).precedence;
}

/// How tightly child number `kid` has to bind to be printed without parentheses.
int least_precedence(const Expr& parent, std::size_t kid) {
  switch (parent.kind) {
    case ExprKind::kAttribute:
      return kPostfixPrecedence;
    case ExprKind::kIndex:
    case ExprKind::kCall:
      return kid == 0 ? kPostfixPrecedence : kIfElsePrecedence;
    case ExprKind::kIfElse:
      return kid < 2 ? 1 : kIfElsePrecedence;
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kCompare:
    case ExprKind::kLogic: {
      const OperatorInfo& row = info_of(parent.operators.front());
      // A chain of the same operator needs none on the side from which it is read.
      const bool associates = row.kind == OperatorKind::kPrefix ||
                              row.kind == (kid == 0 ? OperatorKind::kLeft : OperatorKind::kRight);
      return associates ? row.precedence : row.precedence + 1;
    }
    default:
      return kIfElsePrecedence;
  }
}

class ExprPrinter {
 public:
  explicit ExprPrinter(const Program& program)
      : program_(program) {}

  [[nodiscard]] std::string print(const Expr& expr) const {
    switch (expr.kind) {
      case ExprKind::kName:
      case ExprKind::kFloat:
      case ExprKind::kInteger:
        return expr.text;
      case ExprKind::kString:
        return expr.text.find('"') == std::string::npos ? "\"" + expr.text + "\""
                                                        : "'" + expr.text + "'";
      case ExprKind::kBool:
        return expr.integer != 0 ? "True" : "False";
      case ExprKind::kNone:
        return "None";
      case ExprKind::kAttribute:
        return kid(expr, 0) + "." + expr.text;
      case ExprKind::kIndex:
        return kid(expr, 0) + "[" + list(expr, 1) + "]";
      case ExprKind::kSlice:
        return kid(expr, 0) + ":" + kid(expr, 1) +
               (expr.kids[2] == kNoExpr ? "" : ":" + kid(expr, 2));
      case ExprKind::kCall:
        return kid(expr, 0) + "(" + list(expr, 1) + ")";
      case ExprKind::kTuple:
        return "(" + list(expr, 0) + (expr.kids.size() == 1 ? ",)" : ")");
      case ExprKind::kIfElse:
        return kid(expr, 0) + " if " + kid(expr, 1) + " else " + kid(expr, 2);
      case ExprKind::kUnary:
      case ExprKind::kBinary:
      case ExprKind::kCompare:
      case ExprKind::kLogic:
        return operation(expr);
    }
    return "";
  }

 private:
  [[nodiscard]] std::string kid(const Expr& expr, std::size_t which) const {
    if (expr.kids[which] == kNoExpr) {
      return "";
    }
    const std::string text = print(program_.expr(expr.kids[which]));
    return in_parentheses(program_, expr, which) ? "(" + text + ")" : text;
  }

  [[nodiscard]] std::string list(const Expr& expr, std::size_t first) const {
    std::string text;
    const std::size_t named = expr.kids.size() - expr.keywords.size();
    for (std::size_t i = first; i < expr.kids.size(); ++i) {
      text += i == first ? "" : ", ";
      text += i < named ? "" : expr.keywords[i - named] + "=";
      text += kid(expr, i);
    }
    return text;
  }

  [[nodiscard]] std::string operation(const Expr& expr) const {
    const std::string word(info_of(expr.operators.front()).text);
    if (expr.kind == ExprKind::kUnary) {
      return word + (word == "not" ? " " : "") + kid(expr, 0);
    }
    std::string text = kid(expr, 0);
    for (std::size_t i = 1; i < expr.kids.size(); ++i) {
      const std::size_t which = expr.kind == ExprKind::kLogic ? 0 : i - 1;
      text += " " + std::string(info_of(expr.operators[which]).text) + " " + kid(expr, i);
    }
    return text;
  }

  const Program& program_;
};

}  // namespace

bool in_parentheses(const Program& program, const Expr& parent, std::size_t kid) {
  const Expr& own = program.expr(parent.kids[kid]);
  // `2.x` would be read as a malformed number.
  const bool number = own.kind == ExprKind::kInteger || own.kind == ExprKind::kFloat;
  return (number && parent.kind == ExprKind::kAttribute) ||
         precedence_of(own) < least_precedence(parent, kid);
}

std::string print_expr(const Program& program, ExprId id) {
  return id == kNoExpr ? "" : ExprPrinter(program).print(program.expr(id));
}

}  // namespace ws::ir
