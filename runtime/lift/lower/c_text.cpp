#include "runtime/lift/lower/c_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/lower/c_levels.h"

namespace ws::lift {
namespace {

/// The one list of operations with a form: $1, $2, $3 are the operands.
struct CForm {
  std::string_view operation;
  std::size_t operands;
  std::string_view text;
};

constexpr std::array kForms = {
    CForm{"exp", 1, "expf($1)"},
    CForm{"exp2", 1, "exp2f($1)"},
    CForm{"log", 1, "logf($1)"},
    CForm{"log2", 1, "log2f($1)"},
    CForm{"sqrt", 1, "sqrtf($1)"},
    CForm{"rsqrt", 1, "rsqrtf($1)"},
    CForm{"sin", 1, "sinf($1)"},
    CForm{"cos", 1, "cosf($1)"},
    CForm{"tanh", 1, "tanhf($1)"},
    CForm{"erf", 1, "erff($1)"},
    CForm{"sigmoid", 1, "1.0f / (1.0f + expf(-($1)))"},
    CForm{"relu", 1, "fmaxf($1, 0.0f)"},
    CForm{"maximum", 2, "fmaxf($1, $2)"},
    CForm{"minimum", 2, "fminf($1, $2)"},
    CForm{"where", 3, "$1 ? $2 : $3"},
};

std::string with_operands(std::string_view form, const std::vector<std::string>& operands) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '$' && i + 1 < form.size()) {
      text += operands[static_cast<std::size_t>(form[++i] - '1')];
    } else {
      text += form[i];
    }
  }
  return text;
}

/// How tightly the operands of an operator have to hold together. The right one of a sum or product
/// is no such one itself: the order of roundings stays.
std::pair<Level, Level> operands_of(ir::Operator op) {
  switch (op) {
    case ir::Operator::kAdd:
    case ir::Operator::kSubtract:
      return {Level::kSum, Level::kProduct};
    case ir::Operator::kMultiply:
      return {Level::kProduct, Level::kSimple};
    case ir::Operator::kBitAnd:
    case ir::Operator::kBitOr:
      return {Level::kCompare, Level::kCompare};
    default:
      return {Level::kProduct, Level::kSimple};
  }
}

std::string float_text(const ir::Expr& expr) {
  if (std::isinf(expr.number)) {
    return "INFINITY";
  }
  const std::string& text = expr.text;
  return text + (text.find_first_of(".eE") == std::string::npos ? ".0f" : "f");
}

std::string operator_text(ir::Operator op) {
  switch (op) {
    case ir::Operator::kBitAnd:
      return "&&";
    case ir::Operator::kBitOr:
      return "||";
    default:
      return std::string(ir::info_of(op).text);
  }
}

}  // namespace

tl::unexpected<Error> no_form(const std::string& why) {
  return fail(ErrorCode::kUnsupported, why);
}

/// `minimum(a, b)` or `maximum(a, b)`.
bool CText::is_least_or_most(const ir::Expr& expr) const {
  if (expr.kind != ir::ExprKind::kCall || expr.kids.size() != 3 || !expr.keywords.empty()) {
    return false;
  }
  const std::string& name = program_.expr(expr.kids[0]).text;
  return name == "minimum" || name == "maximum";
}

Result<std::string> CText::of(ir::ExprId id) const {
  const ir::Expr& expr = program_.expr(id);
  if (expr.kind != ir::ExprKind::kInteger) {
    if (std::string index = index_text(id); !index.empty()) {
      return index;
    }
  }
  if (const auto name = names_.find(ir::print_expr(program_, id)); name != names_.end()) {
    return name->second;
  }
  switch (expr.kind) {
    case ir::ExprKind::kInteger:
      return std::to_string(expr.integer);
    case ir::ExprKind::kFloat:
      return float_text(expr);
    case ir::ExprKind::kName:
      if (const auto known = defined_.find(expr.text); known != defined_.end()) {
        ++expanded_;
        return has_no_end() ? no_form("`" + expr.text + "` stands for too long an expression")
                            : of(known->second);
      }
      return expr.text == "inf" ? Result<std::string>("INFINITY")
                                : no_form("the kernel has nothing for `" + expr.text + "`");
    case ir::ExprKind::kUnary:
      return unary(expr);
    case ir::ExprKind::kBinary:
      return binary(expr);
    case ir::ExprKind::kCompare:
      return compare(expr);
    case ir::ExprKind::kCall:
      return call(expr);
    default:
      return no_form("there is no form for `" + ir::print_expr(program_, id) + "`");
  }
}

Result<std::string> CText::unary(const ir::Expr& expr) const {
  const ir::Operator op = expr.operators[0];
  const bool negates = op == ir::Operator::kNegate;
  const bool inverts = op == ir::Operator::kInvert || op == ir::Operator::kNot;
  if (!negates && (!inverts || is_integer(expr.kids[0]))) {
    return no_form("there is no form for `" + operator_text(op) + "` here");
  }
  WS_TRY(const std::string value, of(expr.kids[0]));
  return (negates ? "-" : "!") + operand_text(value, Level::kSimple);
}

Result<std::string> CText::binary(const ir::Expr& expr) const {
  const ir::Operator op = expr.operators[0];
  const bool integers = is_integer(expr.kids[0]) && is_integer(expr.kids[1]);
  const bool bits = op == ir::Operator::kBitAnd || op == ir::Operator::kBitOr;
  const bool conditions = !is_integer(expr.kids[0]) && !is_integer(expr.kids[1]);
  const bool known = op == ir::Operator::kAdd || op == ir::Operator::kSubtract ||
                     op == ir::Operator::kMultiply || (bits && conditions) ||
                     (op == ir::Operator::kDivide && !integers);
  const bool quotient = (op == ir::Operator::kFloorDivide || op == ir::Operator::kModulo) &&
                        is_natural(expr.kids[0]) &&
                        program_.expr(expr.kids[1]).kind == ir::ExprKind::kInteger;
  if (!known && !quotient) {
    return no_form("there is no form for `" + operator_text(op) + "` here");
  }
  WS_TRY(const std::string left, of(expr.kids[0]));
  WS_TRY(const std::string right, of(expr.kids[1]));
  const auto [of_left, of_right] = operands_of(op);
  return operand_text(left, of_left) + " " +
         (quotient ? operator_text(op).substr(0, 1) : operator_text(op)) + " " +
         operand_text(right, of_right);
}

Result<std::string> CText::compare(const ir::Expr& expr) const {
  std::string text;
  for (std::size_t i = 0; i + 1 < expr.kids.size(); ++i) {
    WS_TRY(const std::string left, of(expr.kids[i]));
    WS_TRY(const std::string right, of(expr.kids[i + 1]));
    text += (i == 0 ? "" : " && ") + operand_text(left, Level::kSum) + " " +
            operator_text(expr.operators[i]) + " " + operand_text(right, Level::kSum);
  }
  return text;
}

Result<std::string> CText::call(const ir::Expr& expr) const {
  const std::string& name = program_.expr(expr.kids[0]).text;
  if (!expr.keywords.empty()) {
    return no_form("there is no form for `" + name + "` with named arguments");
  }
  if (name == "to" && expr.kids.size() == 3 && program_.expr(expr.kids[2]).text == "f32") {
    WS_TRY(const std::string value, of(expr.kids[1]));
    return "(float)(" + value + ")";
  }
  if (name == "abs" && expr.kids.size() == 2) {
    WS_TRY(const std::string value, of(expr.kids[1]));
    return (is_integer(expr.kids[1]) ? "abs(" : "fabsf(") + value + ")";
  }
  if (name == "to" && expr.kids.size() == 3 && program_.expr(expr.kids[2]).text == "f16") {
    WS_TRY(const std::string value, of(expr.kids[1]));
    return "__float2half(" + value + ")";
  }
  if (is_least_or_most(expr) && is_integer(expr.kids[1]) && is_integer(expr.kids[2])) {
    WS_TRY(const std::string left, of(expr.kids[1]));
    WS_TRY(const std::string right, of(expr.kids[2]));
    return name.substr(0, 3) + "(" + left + ", " + right + ")";
  }
  const auto* const form = std::find_if(kForms.begin(), kForms.end(),
                                        [&](const CForm& row) { return row.operation == name; });
  if (form == kForms.end() || expr.kids.size() != form->operands + 1) {
    return no_form("there is no form for `" + name + "`");
  }
  std::vector<std::string> operands;
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    WS_TRY(const std::string operand, of(expr.kids[i]));
    const Level least = name != "where" ? Level::kSelect : i == 1 ? Level::kCompare : Level::kOr;
    operands.push_back(operand_text(operand, least));
  }
  return with_operands(form->text, operands);
}

}  // namespace ws::lift
