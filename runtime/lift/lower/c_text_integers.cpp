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
  note_rounds();
  for (const IndexText& index : indices) {
    const Result<ir::Program> parsed = ir::parse_program(
        "class X(KernelBase):\n    def run(self):\n        x = " + index.ir + "\n");
    Sum sum;
    if (parsed && add_to(*parsed, parsed->stmts[parsed->methods[0].body[0]].value, 1, sum)) {
      by_sum_.emplace(sum, index.c);
      indices_.push_back({index.c, std::move(sum)});
    }
  }
}

void CText::note_rounds() {
  for (const ir::Stmt& stmt : program_.stmts) {
    if (stmt.kind != ir::StmtKind::kFor || program_.expr(stmt.value).kind != ir::ExprKind::kCall) {
      continue;
    }
    const std::vector<ir::ExprId>& kids = program_.expr(stmt.value).kids;
    const bool from_zero = kids.size() == 2;
    if (program_.expr(kids[0]).text == "range" &&
        (from_zero ||
         (kids.size() == 3 && program_.expr(kids[1]).kind == ir::ExprKind::kInteger))) {
      rounds_.insert(ir::print_expr(program_, stmt.targets[0]));
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
    ++expanded_;
    return !has_no_end() && add_to(program, defined_.at(expr.text), factor, sum);
  } else {
    sum[ir::print_expr(program, id)] += factor;
  }
  std::erase_if(sum, [](const auto& part) { return part.second == 0; });
  return true;
}

/// The kernel's own name for this integer, or two that add up to it; empty when it has none.
std::string CText::own_text(const Sum& sum) const {
  if (const auto own = by_sum_.find(sum); own != by_sum_.end()) {
    return own->second;
  }
  for (const Index& first : indices_) {
    Sum rest = sum;
    for (const auto& [atom, factor] : first.sum) {
      rest[atom] -= factor;
    }
    std::erase_if(rest, [](const auto& part) { return part.second == 0; });
    const auto second = by_sum_.find(rest);
    if (second != by_sum_.end() && first.c < second->second) {
      return first.c + " + " + second->second;
    }
  }
  return {};
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

/// Whether it is never negative: quotients are rounded down in a program, and towards zero in C.
bool CText::is_natural(ir::ExprId id) const {
  constexpr int kDeep = 8;
  Sum sum;
  return add_to(program_, id, 1, sum) && is_natural(sum, kDeep);
}

bool CText::is_natural(const Sum& sum, int deep) const {
  return std::all_of(sum.begin(), sum.end(), [&](const auto& part) {
    return part.second >= 0 && (part.first.empty() || is_natural_atom(part.first, deep));
  });
}

/// Indices, sizes and rounds are never negative, nor are variables that are sums of such ones.
bool CText::is_natural_atom(const std::string& atom, int deep) const {
  const bool index = atom == "wg" || atom.starts_with("arange(") || atom.starts_with("blockIdx.") ||
                     atom.starts_with("gridDim.") || atom.starts_with("self.");
  if (index || rounds_.contains(atom)) {
    return true;
  }
  const std::string own = own_text(Sum{{atom, 1}});
  return deep > 0 && !own.empty() &&
         std::any_of(indices_.begin(), indices_.end(), [&](const Index& known) {
           return known.c == own && known.sum != Sum{{atom, 1}} && is_natural(known.sum, deep - 1);
         });
}

bool CText::is_integer(ir::ExprId id) const {
  const ir::Expr& expr = program_.expr(id);
  if (expr.kind == ir::ExprKind::kInteger || !index_text(id).empty()) {
    return true;
  }
  if (expr.kind == ir::ExprKind::kName && defined_.contains(expr.text)) {
    ++expanded_;
    return !has_no_end() && is_integer(defined_.at(expr.text));
  }
  if (expr.kind == ir::ExprKind::kCall && expr.kids.size() > 1) {
    const std::string& name = program_.expr(expr.kids[0]).text;
    if (name == "abs" || (name == "where" && expr.kids.size() == 4)) {
      return std::all_of(expr.kids.begin() + (name == "abs" ? 1 : 2), expr.kids.end(),
                         [this](ir::ExprId kid) { return is_integer(kid); });
    }
  }
  if (is_least_or_most(expr)) {
    return is_integer(expr.kids[1]) && is_integer(expr.kids[2]);
  }
  const bool parts = expr.kind == ir::ExprKind::kBinary || expr.kind == ir::ExprKind::kUnary;
  return parts && std::all_of(expr.kids.begin(), expr.kids.end(),
                              [this](ir::ExprId kid) { return is_integer(kid); });
}

}  // namespace ws::lift
