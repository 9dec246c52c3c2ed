#include "runtime/ir/syntax/printed_size.h"

#include <algorithm>
#include <string_view>

#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

constexpr std::size_t kBracketBytes = 2;
constexpr std::size_t kSeparatorBytes = 2;  // ", "
constexpr std::string_view kIf = " if ";
constexpr std::string_view kElse = " else ";

/// The size of one expression; expr_printer.cpp has the texts, expr_parser.cpp the rules.
class Sizing {
 public:
  Sizing(const Program& program, const Expr& expr, const std::vector<PrintedSize>& kids)
      : program_(program),
        expr_(expr),
        kids_(kids) {}

  PrintedSize run() {
    switch (expr_.kind) {
      case ExprKind::kName:
      case ExprKind::kFloat:
      case ExprKind::kInteger:
        bytes(expr_.text.size());
        break;
      case ExprKind::kString:
        bytes(expr_.text.size() + kBracketBytes);
        break;
      case ExprKind::kBool:
        bytes(std::string_view(expr_.integer != 0 ? "True" : "False").size());
        break;
      case ExprKind::kNone:
        bytes(std::string_view("None").size());
        break;
      case ExprKind::kAttribute:
        kid(0, 0);
        bytes(1 + expr_.text.size());
        break;
      case ExprKind::kIndex:
      case ExprKind::kCall:
        kid(0, 0);
        list(1);
        break;
      case ExprKind::kSlice:
        slice();
        break;
      case ExprKind::kTuple:
        list(0);
        bytes(expr_.kids.size() == 1 ? 1 : 0);
        break;
      case ExprKind::kIfElse:
        kid(0, 0);
        kid(1, 0);
        kid(2, 1);
        bytes(kIf.size() + kElse.size());
        break;
      case ExprKind::kUnary:
      case ExprKind::kBinary:
      case ExprKind::kCompare:
      case ExprKind::kLogic:
        operation();
        break;
    }
    return size_;
  }

 private:
  void bytes(std::size_t more) { size_.bytes += more; }

  /// @param deeper  The rules that the parser calls before it reads this child.
  void kid(std::size_t which, std::uint32_t deeper) {
    const ExprId id = expr_.kids[which];
    if (id == kNoExpr) {
      return;
    }
    const bool enclosed = in_parentheses(program_, expr_, which);
    bytes(kids_[id].bytes + (enclosed ? kBracketBytes : 0));
    size_.nesting = std::max(size_.nesting, kids_[id].nesting + deeper + (enclosed ? 1U : 0U));
  }

  /// Children in brackets from number `first` on.
  void list(std::size_t first) {
    bytes(kBracketBytes);
    for (std::size_t i = first; i < expr_.kids.size(); ++i) {
      // Each is an expression of its own; a slice is not one, its parts are.
      const bool part = program_.expr(expr_.kids[i]).kind == ExprKind::kSlice;
      kid(i, part ? 0 : 1);
      bytes(i == first ? 0 : kSeparatorBytes);
    }
    for (const std::string& keyword : expr_.keywords) {
      bytes(keyword.size() + 1);
    }
  }

  void slice() {
    for (std::size_t i = 0; i < expr_.kids.size(); ++i) {
      kid(i, 1);
    }
    bytes(expr_.kids[2] == kNoExpr ? 1 : 2);
  }

  void operation() {
    if (expr_.kind == ExprKind::kUnary) {
      const Operator op = expr_.operators.front();
      bytes(info_of(op).text.size() + (op == Operator::kNot ? 1 : 0));
      kid(0, 1);
      return;
    }
    kid(0, 0);
    for (std::size_t i = 1; i < expr_.kids.size(); ++i) {
      const std::size_t which = expr_.kind == ExprKind::kLogic ? 0 : i - 1;
      bytes(info_of(expr_.operators[which]).text.size() + kSeparatorBytes);
      kid(i, 1);
    }
  }

  const Program& program_;
  const Expr& expr_;
  const std::vector<PrintedSize>& kids_;
  PrintedSize size_;
};

}  // namespace

PrintedSize printed_size(const Program& program, const Expr& expr,
                         const std::vector<PrintedSize>& kids) {
  return Sizing(program, expr, kids).run();
}

}  // namespace ws::ir
