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

class ExprPrinter {
 public:
  explicit ExprPrinter(const Program& program)
      : program_(program) {}

  /// In parentheses when it binds less tightly than `least`.
  [[nodiscard]] std::string print(ExprId id, int least) const {
    if (id == kNoExpr) {
      return "";
    }
    const Expr& expr = program_.expr(id);
    const std::string text = bare(expr);
    return precedence_of(expr) < least ? "(" + text + ")" : text;
  }

 private:
  [[nodiscard]] std::string bare(const Expr& expr) const {
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
        return attribute(expr);
      case ExprKind::kIndex:
        return print(expr.kids[0], kPostfixPrecedence) + "[" + list(expr, 1) + "]";
      case ExprKind::kSlice:
        return slice(expr);
      case ExprKind::kCall:
        return print(expr.kids[0], kPostfixPrecedence) + "(" + list(expr, 1) + ")";
      case ExprKind::kTuple:
        return "(" + list(expr, 0) + (expr.kids.size() == 1 ? ",)" : ")");
      case ExprKind::kIfElse:
        return print(expr.kids[0], 1) + " if " + print(expr.kids[1], 1) + " else " +
               print(expr.kids[2], kIfElsePrecedence);
      case ExprKind::kUnary:
      case ExprKind::kBinary:
      case ExprKind::kCompare:
      case ExprKind::kLogic:
        return operation(expr);
    }
    return "";
  }

  // `2.x` would be read as a malformed number.
  [[nodiscard]] std::string attribute(const Expr& expr) const {
    const ExprKind base = program_.expr(expr.kids[0]).kind;
    const bool number = base == ExprKind::kInteger || base == ExprKind::kFloat;
    const std::string text = print(expr.kids[0], kPostfixPrecedence);
    return (number ? "(" + text + ")" : text) + "." + expr.text;
  }

  [[nodiscard]] std::string list(const Expr& expr, std::size_t first) const {
    std::string text;
    const std::size_t named = expr.kids.size() - expr.keywords.size();
    for (std::size_t i = first; i < expr.kids.size(); ++i) {
      text += i == first ? "" : ", ";
      text += i < named ? "" : expr.keywords[i - named] + "=";
      text += print(expr.kids[i], kIfElsePrecedence);
    }
    return text;
  }

  [[nodiscard]] std::string slice(const Expr& expr) const {
    std::string text =
        print(expr.kids[0], kIfElsePrecedence) + ":" + print(expr.kids[1], kIfElsePrecedence);
    return expr.kids[2] == kNoExpr ? text : text + ":" + print(expr.kids[2], kIfElsePrecedence);
  }

  [[nodiscard]] std::string operation(const Expr& expr) const {
    const OperatorInfo& row = info_of(expr.operators.front());
    const std::string word(row.text);
    if (row.kind == OperatorKind::kPrefix) {
      return word + (word == "not" ? " " : "") + print(expr.kids[0], row.precedence);
    }
    const bool right = row.kind == OperatorKind::kRight;
    const bool left = row.kind == OperatorKind::kLeft;
    std::string text = print(expr.kids[0], left ? row.precedence : row.precedence + 1);
    for (std::size_t i = 1; i < expr.kids.size(); ++i) {
      const std::size_t which = expr.kind == ExprKind::kLogic ? 0 : i - 1;
      text += " " + std::string(info_of(expr.operators[which]).text) + " " +
              print(expr.kids[i], right ? row.precedence : row.precedence + 1);
    }
    return text;
  }

  const Program& program_;
};

}  // namespace

std::string print_expr(const Program& program, ExprId id) {
  return ExprPrinter(program).print(id, kIfElsePrecedence);
}

}  // namespace ws::ir
