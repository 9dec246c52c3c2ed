// How names flow into each other and into operations.
#include <algorithm>

#include "runtime/ir/diff/uses.h"

namespace ws::ir {

bool Uses::orchestrates(ExprId id) const {
  if (id == kNoExpr) {
    return false;
  }
  const Expr& expr = program_.expr(id);
  if (expr.kind == ExprKind::kCall) {
    const CallForm form = form_of(program_, expr);
    if ((form.op != nullptr && ir::orchestrates(*form.op)) ||
        (form.method != nullptr && orchestrates(*form.method))) {
      return true;
    }
  }
  const bool product = expr.kind == ExprKind::kBinary && info_of(expr.operators[0]).text == "@";
  return product || std::any_of(expr.kids.begin(), expr.kids.end(),
                                [&](ExprId kid) { return orchestrates(kid); });
}

bool Uses::orchestrates(const Stmt& stmt) const {
  const auto does = [&](StmtId id) { return orchestrates(program_.stmt(id)); };
  return orchestrates(stmt.value) ||
         std::any_of(stmt.arms.begin(), stmt.arms.end(), [&](const Arm& arm) {
           return std::any_of(arm.body.begin(), arm.body.end(), does);
         });
}

// A method acts when one that it calls does: a round for each link of the longest chain.
void Uses::find_acting() {
  for (bool grown = true; grown;) {
    grown = false;
    for (const Method& method : program_.methods) {
      const bool acts = std::any_of(method.body.begin(), method.body.end(),
                                    [&](StmtId id) { return orchestrates(program_.stmt(id)); });
      grown |= acts && acting_.insert(method.name).second;
    }
  }
}

void Uses::collect(const std::string& method, const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    collect_simple(method, stmt);
    if (stmt.kind == StmtKind::kFor || stmt.kind == StmtKind::kWhile) {
      add_names(method, stmt.value, domain);
    }
    if (stmt.kind == StmtKind::kFor) {
      add_names(method, stmt.value, bounds);
      flows_.push_back({root_of(method, stmt.targets[0]), names_in(method, stmt.value), true});
    }
    for (const Arm& arm : stmt.arms) {
      if (stmt.kind == StmtKind::kIf && orchestrates(stmt)) {
        add_names(method, arm.condition, domain);
      }
      collect(method, arm.body);
    }
  }
}

void Uses::collect_simple(const std::string& method, const Stmt& stmt) {
  collect_calls(method, stmt.value);
  for (const ExprId target : stmt.targets) {
    const Expr& expr = program_.expr(target);
    const std::string root = root_of(method, target);
    if (expr.kind == ExprKind::kIndex && shared.count(root) != 0) {
      add_names(method, target, operands);
    } else if (stmt.kind == StmtKind::kAssign && expr.kind == ExprKind::kTuple) {
      for (const ExprId kid : expr.kids) {
        flows_.push_back({root_of(method, kid), names_in(method, stmt.value), false});
      }
    } else if (stmt.kind == StmtKind::kAssign && expr.kind != ExprKind::kIndex) {
      flows_.push_back({root, names_in(method, stmt.value), false});
    }
    if (root == "self.gridDim") {
      add_names(method, stmt.value, domain);
    }
  }
  if (stmt.kind == StmtKind::kReturn) {
    flows_.push_back({method + "()", names_in(method, stmt.value), false});
  }
}

// Arguments of operations, and what goes into parameters of methods.
void Uses::collect_calls(const std::string& method, ExprId id) {
  if (id == kNoExpr) {
    return;
  }
  const Expr& expr = program_.expr(id);
  const CallForm form = expr.kind == ExprKind::kCall ? form_of(program_, expr) : CallForm();
  const bool counts = form.op != nullptr && ir::orchestrates(*form.op);
  for (const CallArg& arg : counts ? form.args : std::vector<CallArg>()) {
    if (!is_value(method, arg)) {
      add_names(method, arg.expr, operands);
    }
  }
  if (form.method != nullptr) {
    const std::size_t count = std::min(form.args.size(), form.method->params.size());
    for (std::size_t i = 0; i < count; ++i) {
      flows_.push_back({form.method->name + "." + form.method->params[i].name,
                        names_in(method, form.args[i].expr), false});
    }
  }
  for (const ExprId kid : expr.kids) {
    collect_calls(method, kid);
  }
}

}  // namespace ws::ir
