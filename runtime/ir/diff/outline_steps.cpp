#include <algorithm>

#include "runtime/ir/diff/outliner.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::ir {

bool Outliner::is_new(const std::string& name) const {
  return additions_ && !name.empty() && own_.uses.declared.count(name) != 0 &&
         other_.uses.declared.count(name) == 0;
}

bool Outliner::reads_new_input(ExprId id) const {
  const std::set<std::string> names = own_.uses.names_in("__init__", id);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return own_.uses.inputs.count(name) != 0 && is_new(name);
  });
}

// R5 when the name is an argument's, under its own name or as `self.Bias = Bias`; else R6.
Rules Outliner::allowed_by(const std::string& name) const {
  const bool attribute = name.rfind("self.", 0) == 0;
  const std::string argument = "__init__." + (attribute ? name.substr(5) : name);
  return {own_.uses.inputs.count(argument) != 0 ? Rule::kNewInputs : Rule::kAuxiliary};
}

void Outliner::add_step(std::string text, SourcePlace place, const Rules& allowed) {
  out_.steps.push_back({std::move(text), place, out_.rows.size() - 1, allowed, false});
}

void Outliner::add_block_step(std::string text, SourcePlace place) {
  out_.steps.push_back({std::move(text), place, out_.rows.size() - 1, {}, true});
}

// A block around nothing but new things is new with them.
void Outliner::allow_block(std::size_t first_step) {
  Rules allowed;
  for (std::size_t i = first_step; i < out_.steps.size(); ++i) {
    const Step& step = out_.steps[i];
    if (!step.block && step.allowed == Rules()) {
      return;
    }
    allowed.add(step.allowed);
  }
  for (std::size_t i = first_step; i < out_.steps.size(); ++i) {
    out_.steps[i].allowed.add(allowed);
  }
}

bool Outliner::is_place(const CallArg& arg) const {
  const ArgKind kind = arg.param != nullptr ? arg.param->kind : ArgKind::kAny;
  return kind == ArgKind::kTensor || kind == ArgKind::kBuffer || kind == ArgKind::kBarrier;
}

// "gemm(_, self.sK[j % 2].T, acc=_)".
std::string Outliner::step_text(const Expr& expr, const CallForm& form) const {
  const Expr& callee = program_.expr(expr.kids[0]);
  const std::size_t named = expr.kids.size() - expr.keywords.size();
  const bool method = callee.kind == ExprKind::kAttribute && form.args.size() == expr.kids.size();
  std::string text = method ? print_expr(program_, callee.kids[0]) + "." + callee.text
                            : print_expr(program_, expr.kids[0]);
  text += "(";
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    const CallArg& arg = form.args[i - (method ? 0U : 1U)];
    text += i == 1 ? "" : ", ";
    text += i < named ? "" : expr.keywords[i - named] + "=";
    // `(i,)` is the same as `i`: one index.
    const Expr& given = program_.expr(arg.expr);
    const bool alone = given.kind == ExprKind::kTuple && given.kids.size() == 1;
    text += own_.uses.is_value(out_.name, arg)
                ? "_"
                : print_expr(program_, alone ? given.kids[0] : arg.expr);
  }
  return text + ")";
}

void Outliner::call_steps(const Expr& expr, const CallForm& form) {
  Rules allowed;
  for (const CallArg& arg : form.args) {
    const bool place = is_place(arg);
    const std::string root = place ? own_.uses.root_of(out_.name, arg.expr) : "";
    if (is_new(root)) {
      allowed.add(allowed_by(root));
    }
    // The indices of a place may read memory, the place itself is what the step names.
    const bool value = own_.uses.is_value(out_.name, arg);
    if (value || !(place || own_.uses.buffers.count(own_.uses.root_of(out_.name, arg.expr)) != 0)) {
      expr_steps(arg.expr);
    }
  }
  add_step(step_text(expr, form), expr.place, allowed);
}

// A part of shared memory as a value: memory is read there.
bool Outliner::shared_read(ExprId id) {
  const std::string root = own_.uses.root_of(out_.name, id);
  if (own_.uses.shared.count(root) == 0) {
    return false;
  }
  add_step("read " + print_expr(program_, id), program_.expr(id).place,
           is_new(root) ? allowed_by(root) : Rules());
  return true;
}

void Outliner::expr_steps(ExprId id) {
  if (id == kNoExpr || shared_read(id)) {
    return;
  }
  const Expr& expr = program_.expr(id);
  if (expr.kind == ExprKind::kCall) {
    const CallForm form = form_of(program_, expr);
    const bool acts = form.method != nullptr && own_.uses.orchestrates(*form.method);
    if (acts || (form.op != nullptr && orchestrates(*form.op))) {
      call_steps(expr, form);
      return;
    }
    for (const CallArg& arg : form.args) {
      expr_steps(arg.expr);
    }
    return;
  }
  // self.K.shape[0] reads no memory.
  if (expr.kind == ExprKind::kAttribute && expr.text != "T") {
    return;
  }
  for (const ExprId kid : expr.kids) {
    expr_steps(kid);
  }
  if (expr.kind == ExprKind::kBinary && info_of(expr.operators[0]).text == "@") {
    add_step("_ @ _", expr.place);
  }
}

// True when the names that the statement sets say where or on what something is done.
bool Outliner::is_control(const Stmt& stmt) const {
  return stmt.kind != StmtKind::kFor &&
         std::any_of(stmt.targets.begin(), stmt.targets.end(), [&](ExprId target) {
           const Expr& expr = program_.expr(target);
           const std::vector<ExprId> parts =
               expr.kind == ExprKind::kTuple ? expr.kids : std::vector<ExprId>{target};
           return expr.kind != ExprKind::kIndex &&
                  std::any_of(parts.begin(), parts.end(), [&](ExprId part) {
                    return is_operand(own_.uses.root_of(out_.name, part));
                  });
         });
}

void Outliner::write_step(const Stmt& stmt, ExprId target) {
  const std::string root = own_.uses.root_of(out_.name, target);
  const bool whole = program_.expr(target).kind != ExprKind::kIndex;
  if (own_.uses.shared.count(root) == 0 || (whole && stmt.kind == StmtKind::kAssign)) {
    return;
  }
  add_step((stmt.kind == StmtKind::kAssign ? "write " : "update ") + print_expr(program_, target),
           stmt.place, is_new(root) ? allowed_by(root) : Rules());
}

void Outliner::steps_of(const Stmt& stmt) {
  const Expr* value = stmt.value == kNoExpr ? nullptr : &program_.expr(stmt.value);
  const CallForm form =
      value != nullptr && value->kind == ExprKind::kCall ? form_of(program_, *value) : CallForm();
  const bool makes = form.op != nullptr &&
                     (form.op->group == OpGroup::kAlloc || form.op->group == OpGroup::kBarrier ||
                      form.op->group == OpGroup::kRing);
  const std::string root =
      stmt.targets.empty() ? "" : own_.uses.root_of(out_.name, stmt.targets[0]);
  if (makes || (is_control(stmt) && !own_.uses.orchestrates(stmt))) {
    std::string text;
    for (const ExprId target : stmt.targets) {
      text += print_expr(program_, target) + " = ";
    }
    const std::string op =
        stmt.kind == StmtKind::kAugment ? std::string(info_of(stmt.op).text) + " " : std::string();
    add_step(text + op + print_expr(program_, stmt.value), stmt.place,
             is_new(root) ? allowed_by(root) : Rules());
    return;
  }
  expr_steps(stmt.value);
  for (const ExprId target : stmt.targets) {
    write_step(stmt, target);
  }
}

}  // namespace ws::ir
