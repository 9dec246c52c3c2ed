#include "runtime/ir/diff/statistics.h"

#include <algorithm>

namespace ws::ir {

Statistics::Statistics(const Program& program, const Uses& uses)
    : program_(program),
      uses_(uses),
      statistic_(program.stmts.size()) {
  // Values that a loop carries reach its start in the second round, those of an outer one in the
  // third.
  constexpr int rounds = 3;
  for (const Method& method : program.methods) {
    for (int round = 0; round < rounds; ++round) {
      Names now;
      walk(method.name, method.body, now);
    }
    mark_first_values(method.name, method.body);
  }
}

bool Statistics::reduces(ExprId id) const {
  if (id == kNoExpr) {
    return false;
  }
  const Expr& expr = program_.expr(id);
  if (expr.kind == ExprKind::kCall) {
    const CallForm form = form_of(program_, expr);
    if (form.op != nullptr &&
        (form.op->group == OpGroup::kReduce || form.op->group == OpGroup::kScan)) {
      return true;
    }
  }
  return std::any_of(expr.kids.begin(), expr.kids.end(), [&](ExprId kid) { return reduces(kid); });
}

bool Statistics::reads(const std::string& method, ExprId id, const Names& now) const {
  const Names names = id == kNoExpr ? Names() : uses_.names_in(method, id);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return now.count(name) != 0; });
}

void Statistics::simple(const std::string& method, StmtId id, Names& now) {
  const Stmt& stmt = program_.stmt(id);
  bool statistic = reduces(stmt.value) || reads(method, stmt.value, now);
  for (const ExprId target : stmt.targets) {
    const std::string root = uses_.root_of(method, target);
    const bool whole =
        stmt.kind == StmtKind::kAssign && program_.expr(target).kind != ExprKind::kIndex;
    statistic |= !whole && now.count(root) != 0;
    if (statistic && !root.empty()) {
      now.insert(root);
      names_.insert(root);
    } else if (whole) {
      now.erase(root);
    }
  }
  statistic_[id] = statistic_[id] || statistic;
}

void Statistics::walk(const std::string& method, const std::vector<StmtId>& body, Names& now) {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    if (stmt.arms.empty()) {
      simple(method, id, now);
      continue;
    }
    const Names before = now;
    Names after = now;
    for (const Arm& arm : stmt.arms) {
      Names inside = before;
      inside.insert(carried_[id].begin(), carried_[id].end());
      walk(method, arm.body, inside);
      if (stmt.kind != StmtKind::kIf) {
        carried_[id] = inside;
      }
      after.insert(inside.begin(), inside.end());
    }
    now = std::move(after);
  }
}

// `m = full((64, 1), -inf, "f32")` in front of the loop that makes `m` a statistic.
void Statistics::mark_first_values(const std::string& method, const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    const Expr* value = stmt.kind == StmtKind::kAssign ? &program_.expr(stmt.value) : nullptr;
    const CallForm form =
        value != nullptr && value->kind == ExprKind::kCall ? form_of(program_, *value) : CallForm();
    if (form.op != nullptr && form.op->group == OpGroup::kMake &&
        names_.count(uses_.root_of(method, stmt.targets[0])) != 0) {
      statistic_[id] = true;
    }
    for (const Arm& arm : stmt.arms) {
      mark_first_values(method, arm.body);
    }
  }
}

}  // namespace ws::ir
