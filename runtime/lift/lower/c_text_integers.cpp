// Integers of a program by the integers that the kernel has.
#include <algorithm>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/lower/c_levels.h"
#include "runtime/lift/lower/c_text.h"

namespace ws::lift {

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

}  // namespace ws::lift
