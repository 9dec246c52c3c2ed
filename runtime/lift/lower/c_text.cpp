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
      return {Level::kCompare, Level::kCompare};
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

CText::CText(const ir::Program& program, std::map<std::string, std::string> names,
             const std::vector<IndexText>& indices)
    : program_(program),
      names_(std::move(names)) {
  std::vector<Index> single;
  for (const IndexText& index : indices) {
    const Result<ir::Program> parsed = ir::parse_program(
        "class X(KernelBase):\n    def run(self):\n        x = " + index.ir + "\n");
    Sum sum;
    if (parsed && add_to(*parsed, parsed->stmts[parsed->methods[0].body[0]].value, 1, sum)) {
      single.push_back({index.c, sum});
    }
  }
  indices_ = single;
  for (const Index& a : single) {
    for (const Index& b : single) {
      if (a.c < b.c) {
        Sum sum = a.sum;
        for (const auto& [atom, factor] : b.sum) {
          sum[atom] += factor;
        }
        indices_.push_back({a.c + " + " + b.c, std::move(sum)});
      }
    }
  }
}

/// `minimum(a, b)` or `maximum(a, b)`.
bool CText::is_least_or_most(const ir::Expr& expr) const {
  if (expr.kind != ir::ExprKind::kCall || expr.kids.size() != 3 || !expr.keywords.empty()) {
    return false;
  }
  const std::string& name = program_.expr(expr.kids[0]).text;
  return name == "minimum" || name == "maximum";
}

bool CText::add_to(const ir::Program& program, ir::ExprId id, std::int64_t factor, Sum& sum) const {
  const ir::Expr& expr = program.expr(id);
  if (expr.kind == ir::ExprKind::kInteger) {
    sum[""] += factor * expr.integer;
  } else if (expr.kind == ir::ExprKind::kUnary && expr.operators[0] == ir::Operator::kNegate) {
    return add_to(program, expr.kids[0], -factor, sum);
  } else if (expr.kind == ir::ExprKind::kBinary && (expr.operators[0] == ir::Operator::kAdd ||
                                                    expr.operators[0] == ir::Operator::kSubtract)) {
    const std::int64_t sign = expr.operators[0] == ir::Operator::kAdd ? factor : -factor;
    return add_to(program, expr.kids[0], factor, sum) && add_to(program, expr.kids[1], sign, sum);
  } else if (expr.kind == ir::ExprKind::kBinary && expr.operators[0] == ir::Operator::kMultiply) {
    const bool left = program.expr(expr.kids[0]).kind == ir::ExprKind::kInteger;
    const ir::Expr& number = program.expr(expr.kids[left ? 0 : 1]);
    if (number.kind != ir::ExprKind::kInteger) {
      return false;
    }
    return add_to(program, expr.kids[left ? 1 : 0], factor * number.integer, sum);
  } else if (&program == &program_ && expr.kind == ir::ExprKind::kName &&
             defined_.contains(expr.text)) {
    return add_to(program, defined_.at(expr.text), factor, sum);
  } else {
    sum[ir::print_expr(program, id)] += factor;
  }
  std::erase_if(sum, [](const auto& part) { return part.second == 0; });
  return true;
}

/// The kernel's own name for this integer, or two that add up to it; empty when it has none.
std::string CText::own_text(const Sum& sum) const {
  const auto found = std::find_if(indices_.begin(), indices_.end(),
                                  [&](const Index& index) { return index.sum == sum; });
  return found == indices_.end() ? "" : found->c;
}

/// The integer by names of the kernel; empty: it has no such ones.
std::string CText::index_text(ir::ExprId id) const {
  Sum sum;
  if (!add_to(program_, id, 1, sum)) {
    return {};
  }
  const std::string own = own_text(sum);
  return own.empty() ? by_variables(std::move(sum)) : own;
}

/// The sum by variables of the kernel that are sums themselves, such as `row0` for
/// `blockIdx.x * 128`: these are right for other parameters, too. Empty: there are none in it.
std::string CText::by_variables(Sum sum) const {
  std::string text;
  for (const Index& index : indices_) {
    const bool named = index.sum.size() == 1 &&
                       (index.sum.begin()->second == 1 || index.sum.begin()->first.empty());
    const bool within = !index.sum.empty() && !named && index.c.find(' ') == std::string::npos &&
                        std::all_of(index.sum.begin(), index.sum.end(), [&](const auto& part) {
                          const auto found = sum.find(part.first);
                          return found != sum.end() && found->second == part.second;
                        });
    for (const auto& [atom, factor] : within ? index.sum : Sum()) {
      sum.erase(atom);
    }
    text += within ? (text.empty() ? "" : " + ") + index.c : "";
  }
  if (text.empty()) {
    return {};
  }
  const std::int64_t rest = sum[""];
  sum.erase("");
  for (const auto& [atom, factor] : sum) {
    const std::string own = own_text(Sum{{atom, 1}});
    if (own.empty()) {
      return {};
    }
    const std::int64_t times = std::abs(factor);
    text += (factor < 0 ? " - " : " + ") + own + (times == 1 ? "" : " * " + std::to_string(times));
  }
  return rest == 0 ? text : text + (rest < 0 ? " - " : " + ") + std::to_string(std::abs(rest));
}

Result<std::string> CText::scaled(ir::ExprId id, std::int64_t factor,
                                  const std::string& plus) const {
  Sum sum;
  if (add_to(program_, id, factor, sum)) {
    if (const std::string text = by_variables(sum); !text.empty()) {
      return text + " + " + plus;
    }
  }
  WS_TRY(const std::string text, of(id));
  return operand_text(text, Level::kProduct) + " * " + std::to_string(factor) + " + " + plus;
}

/// Whether it is an index that the kernel has, or a sum of such ones, none of which is negative:
/// quotients are rounded down in a program, and towards zero in C.
bool CText::is_natural(ir::ExprId id) const {
  Sum sum;
  const auto known = [&](const auto& part) {
    return part.second >= 0 && (part.first.empty() || !own_text(Sum{{part.first, 1}}).empty());
  };
  return add_to(program_, id, 1, sum) &&
         (!own_text(sum).empty() || std::all_of(sum.begin(), sum.end(), known));
}

bool CText::is_integer(ir::ExprId id) const {
  const ir::Expr& expr = program_.expr(id);
  if (expr.kind == ir::ExprKind::kInteger || !index_text(id).empty()) {
    return true;
  }
  if (expr.kind == ir::ExprKind::kName && defined_.contains(expr.text)) {
    return is_integer(defined_.at(expr.text));
  }
  if (is_least_or_most(expr)) {
    return is_integer(expr.kids[1]) && is_integer(expr.kids[2]);
  }
  const bool parts = expr.kind == ir::ExprKind::kBinary || expr.kind == ir::ExprKind::kUnary;
  return parts && std::all_of(expr.kids.begin(), expr.kids.end(),
                              [this](ir::ExprId kid) { return is_integer(kid); });
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
        return of(known->second);
      }
      return expr.text == "inf" ? Result<std::string>("INFINITY")
                                : no_form("the kernel has nothing for `" + expr.text + "`");
    case ir::ExprKind::kUnary: {
      WS_TRY(const std::string value, of(expr.kids[0]));
      return operator_text(expr.operators[0]) + operand_text(value, Level::kSimple);
    }
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

Result<std::string> CText::binary(const ir::Expr& expr) const {
  const ir::Operator op = expr.operators[0];
  const bool integers = is_integer(expr.kids[0]) && is_integer(expr.kids[1]);
  const bool known = op == ir::Operator::kAdd || op == ir::Operator::kSubtract ||
                     op == ir::Operator::kMultiply || op == ir::Operator::kBitAnd ||
                     op == ir::Operator::kBitOr || (op == ir::Operator::kDivide && !integers);
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
