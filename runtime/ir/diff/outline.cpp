#include "runtime/ir/diff/outline.h"

#include <algorithm>

#include "runtime/ir/diff/outliner.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

// The statement's own line of what the printer writes: without comments above and after it.
std::string own_line(const Stmt& stmt, const std::string& printed) {
  std::size_t from = 0;
  for (std::size_t i = 0; i < stmt.above.size(); ++i) {
    from = printed.find('\n', from) + 1;
  }
  const std::size_t comment = stmt.trailing.empty() ? 0 : stmt.trailing.size() + 2;
  return printed.substr(from, printed.find('\n', from) - from - comment);
}

bool leaves(StmtKind kind) {
  return kind == StmtKind::kBreak || kind == StmtKind::kContinue || kind == StmtKind::kReturn;
}

bool says_nothing(const Program& program, const Stmt& stmt) {
  return stmt.kind == StmtKind::kPass || stmt.kind == StmtKind::kImport ||
         (stmt.kind == StmtKind::kExpr && program.expr(stmt.value).kind == ExprKind::kString);
}

Result<std::optional<Mark>> mark_of(const std::string& comment, SourcePlace place,
                                    const std::optional<Mark>& outer) {
  WS_TRY(std::optional<Mark> own, parse_mark(comment, place));
  return own ? own : outer;
}

}  // namespace

std::uint32_t Outliner::last_line(ExprId id) const {
  if (id == kNoExpr) {
    return 0;
  }
  std::uint32_t last = program_.expr(id).place.line;
  for (const ExprId kid : program_.expr(id).kids) {
    last = std::max(last, last_line(kid));
  }
  return last;
}

OutlineRow& Outliner::add_row(std::string text, SourcePlace place, const std::string& path,
                              const std::optional<Mark>& mark) {
  OutlineRow row;
  row.key = std::to_string(depth_) + " " + text;
  row.text = std::move(text);
  row.place = place;
  row.last_line = place.line;
  row.path = path;
  row.mark = mark;
  row.first_step = out_.steps.size();
  out_.rows.push_back(std::move(row));
  return out_.rows.back();
}

// The rules for an assignment to `target` that is neither computation nor normalisation.
Rules Outliner::rules_of_target(ExprId target, const Stmt& stmt) const {
  const std::string root = own_.uses.root_of(out_.name, target);
  const bool operand = is_operand(root);
  if (root == "self.gridDim" || (own_.uses.domain.count(root) != 0 && !operand)) {
    return {Rule::kIterationDomain};
  }
  if (out_.name == "__init__" && stmt.kind == StmtKind::kAssign && reads_new_input(stmt.value)) {
    return {Rule::kNewInputs};
  }
  const bool structure = out_.name == "__init__" || out_.name.empty() || operand;
  return structure && is_new(root) ? allowed_by(root) : Rules();
}

// A call that computes nothing: a barrier, a copy, a load.
bool Outliner::only_orchestrates(const Stmt& stmt) const {
  const Expr* value = stmt.value == kNoExpr ? nullptr : &program_.expr(stmt.value);
  const CallForm form =
      value != nullptr && value->kind == ExprKind::kCall ? form_of(program_, *value) : CallForm();
  return form.op != nullptr && form.op->effect != OpEffect::kPure &&
         form.op->effect != OpEffect::kWrites;
}

Rules Outliner::rules_of(StmtId id) const {
  const Stmt& stmt = program_.stmt(id);
  if (leaves(stmt.kind) && stmt.value == kNoExpr) {
    return {Rule::kIterationDomain};
  }
  if (is_new(out_.name + "()")) {
    return {Rule::kAuxiliary};
  }
  if (only_orchestrates(stmt)) {
    return {};
  }
  Rules rules;
  bool normalised = own_.statistics.has(id);
  for (const ExprId target : stmt.targets) {
    rules.add(rules_of_target(target, stmt));
    const std::string root = own_.uses.root_of(out_.name, target);
    normalised |=
        own_.statistics.names().count(root) == 0 && other_.statistics.names().count(root) != 0;
  }
  if (rules != Rules()) {
    return rules;
  }
  return {normalised ? Rule::kNormalisation : Rule::kComputation};
}

Status Outliner::arm(const Stmt& stmt, std::size_t which, const std::string& path,
                     const std::optional<Mark>& mark) {
  const Arm& part = stmt.arms[which];
  const bool loop = stmt.kind != StmtKind::kIf;
  const std::size_t at = out_.rows.size();
  const std::string target =
      stmt.kind == StmtKind::kFor ? print_expr(program_, stmt.targets[0]) : "";
  const std::string condition = loop                        ? print_expr(program_, stmt.value)
                                : part.condition == kNoExpr ? ""
                                                            : print_expr(program_, part.condition);
  const std::string head = stmt.kind == StmtKind::kFor     ? "for " + target
                           : stmt.kind == StmtKind::kWhile ? "while"
                           : part.condition == kNoExpr     ? "else"
                           : which == 0                    ? "if " + condition
                                                           : "elif " + condition;
  OutlineRow& row = add_row(head, which == 0 ? stmt.place : part.place, path, mark);
  row.text = stmt.kind == StmtKind::kFor ? head + " in " + condition
             : loop                      ? head + " " + condition
                                         : head;
  row.opens = true;
  row.last_line = std::max(row.last_line, last_line(loop ? stmt.value : part.condition));
  if (own_.uses.orchestrates(stmt)) {
    add_block_step(head, row.place);
    row.steps = out_.steps.size() - row.first_step;
  }
  ++depth_;
  WS_CHECK(block(part.body, path, mark));
  --depth_;
  // How a block is reached is part of what it computes.
  Rules inside;
  for (std::size_t i = at + 1; i < out_.rows.size(); ++i) {
    inside.add(out_.rows[i].rules);
  }
  out_.rows[at].rules = loop ? Rules{Rule::kIterationDomain} : inside;
  return {};
}

Status Outliner::statement(StmtId id, const std::string& path, const std::optional<Mark>& outer) {
  const Stmt& stmt = program_.stmt(id);
  WS_TRY(const std::optional<Mark> mark, mark_of(stmt.trailing, stmt.place, outer));
  if (says_nothing(program_, stmt)) {
    return {};
  }
  if (stmt.arms.empty()) {
    OutlineRow& row = add_row(own_line(stmt, print_stmt(program_, id, 0)), stmt.place, path, mark);
    row.last_line = std::max(row.last_line, last_line(stmt.value));
    row.rules = rules_of(id);
    steps_of(stmt);
    row.steps = out_.steps.size() - row.first_step;
    row.subject = stmt.targets.empty() && row.steps > 0 ? out_.steps.back().text : "";
    for (const ExprId target : stmt.targets) {
      row.subject += print_expr(program_, target) + " = ";
    }
    return {};
  }
  const std::size_t first_step = out_.steps.size();
  for (std::size_t i = 0; i < stmt.arms.size(); ++i) {
    WS_CHECK(arm(stmt, i, path, mark));
  }
  OutlineRow& end = add_row("end", stmt.place, path, mark);
  end.closes = true;
  if (own_.uses.orchestrates(stmt)) {
    add_block_step("end", stmt.place);
    end.steps = 1;
    allow_block(first_step);
  }
  return {};
}

Status Outliner::block(const std::vector<StmtId>& body, const std::string& path,
                       const std::optional<Mark>& mark) {
  const std::string separator = path.find(' ') == std::string::npos ? " " : ".";
  std::size_t number = 0;
  for (const StmtId id : body) {
    WS_CHECK(statement(id, path + separator + std::to_string(++number), mark));
  }
  return {};
}

void Outliner::parameters(const Method& method) {
  for (const Param& param : method.params) {
    const std::string name = method.name + "." + param.name;
    const std::string value =
        param.default_value == kNoExpr ? "" : "=" + print_expr(program_, param.default_value);
    OutlineRow& row =
        add_row(param.name + value, param.place, method.name + " parameters", std::nullopt);
    const bool operand = is_operand(name);
    row.parameter = true;
    row.rules = is_new(name)                                    ? allowed_by(param.name)
                : own_.uses.domain.count(name) != 0 && !operand ? Rules{Rule::kIterationDomain}
                                                                : Rules{Rule::kComputation};
    if (operand) {
      add_step(row.text, param.place, is_new(name) ? row.rules : Rules());
      row.steps = 1;
    }
  }
}

Result<std::vector<Outline>> Outliner::run() {
  std::vector<Outline> outlines;
  out_ = {"", program_.place, {}, {}};
  WS_CHECK(block(program_.before, "constants", std::nullopt));
  WS_CHECK(block(program_.constants, "class", std::nullopt));
  outlines.push_back(std::move(out_));
  for (const Method& method : program_.methods) {
    out_ = {method.name, method.place, {}, {}};
    WS_TRY(const std::optional<Mark> mark, mark_of(method.trailing, method.place, std::nullopt));
    parameters(method);
    WS_CHECK(block(method.body, method.name, mark));
    outlines.push_back(std::move(out_));
  }
  return outlines;
}

Result<OutlinePair> outline(const Program& source, const Program& target) {
  const Known from(source);
  const Known to(target);
  OutlinePair pair;
  WS_TRY(pair.source, Outliner(from, to, false).run());
  WS_TRY(pair.target, Outliner(to, from, true).run());
  return pair;
}

}  // namespace ws::ir
