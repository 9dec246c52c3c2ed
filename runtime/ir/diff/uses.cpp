#include "runtime/ir/diff/uses.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace ws::ir {
namespace {

bool is_self(const Program& program, ExprId id) {
  const Expr& expr = program.expr(id);
  return expr.kind == ExprKind::kName && expr.text == "self";
}

void bind_to_params(CallForm& form, const Expr& expr, std::size_t given) {
  const std::size_t named = expr.kids.size() - expr.keywords.size();
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    CallArg arg{expr.kids[i], nullptr};
    if (form.op != nullptr) {
      const std::vector<OpParam>& params = form.op->params;
      const auto found =
          i < named
              ? params.begin() + static_cast<std::ptrdiff_t>(std::min(given + i - 1, params.size()))
              : std::find_if(
                    params.begin(), params.end(),
                    [&](const OpParam& p) { return p.name == expr.keywords[i - named]; });
      arg.param = found == params.end() ? nullptr : &*found;
    }
    form.args.push_back(arg);
  }
}

const OpParam& barrier_param() {
  static const OpParam param{"barrier", ArgKind::kBarrier, true, false};
  return param;
}

}  // namespace

CallForm form_of(const Program& program, const Expr& expr) {
  CallForm form;
  const Expr& callee = program.expr(expr.kids[0]);
  std::size_t given = 0;
  if (callee.kind == ExprKind::kName) {
    const auto op = find_op(callee.text);
    form.op = op ? &info_of(*op) : nullptr;
  } else if (callee.kind == ExprKind::kAttribute && is_self(program, callee.kids[0])) {
    const auto op = find_op("self." + callee.text);
    form.op = op ? &info_of(*op) : nullptr;
    form.method = program.find_method(callee.text);
  } else if (callee.kind == ExprKind::kAttribute) {
    // `wait` of a ring is one of a barrier here: both say on what.
    const auto own = find_op("barrier." + callee.text);
    const auto barrier = own ? own : find_op("ring." + callee.text);
    const auto op = barrier ? barrier : find_op(callee.text);
    form.op = op ? &info_of(*op) : nullptr;
    const bool first = !barrier && op && !form.op->params.empty();
    given = first ? 1 : 0;
    form.args.push_back({callee.kids[0], barrier ? &barrier_param()
                                         : first ? &form.op->params[0]
                                                 : nullptr});
  }
  bind_to_params(form, expr, given);
  return form;
}

bool orchestrates(const OpInfo& info) {
  return info.effect != OpEffect::kPure || info.group == OpGroup::kProduct;
}

Uses::Uses(const Program& program)
    : program_(program) {
  declare("", program.before);
  declare("", program.constants);
  for (const Method& method : program.methods) {
    declared.insert(method.name + "()");
    for (const Param& param : method.params) {
      declared.insert(method.name + "." + param.name);
    }
    declare(method.name, method.body);
  }
  if (const Method* init = program.find_method("__init__")) {
    for (const Param& param : init->params) {
      inputs.insert("__init__." + param.name);
    }
  }
  find_buffers();
  find_acting();
  collect("", program.before);
  collect("", program.constants);
  for (const Method& method : program.methods) {
    collect(method.name, method.body);
  }
  close(operands, false);
  close(domain, true);
}

std::string Uses::qualified(const std::string& method, const std::string& name) const {
  const std::string local = method + "." + name;
  return declared.count(local) != 0 ? local : name;
}

std::string Uses::root_of(const std::string& method, ExprId id) const {
  while (id != kNoExpr) {
    const Expr& expr = program_.expr(id);
    const bool attribute = expr.kind == ExprKind::kAttribute;
    if (attribute && is_self(program_, expr.kids[0])) {
      return "self." + expr.text;
    }
    if (expr.kind == ExprKind::kName) {
      return qualified(method, expr.text);
    }
    if (expr.kind != ExprKind::kIndex && !(attribute && expr.text == "T")) {
      break;
    }
    id = expr.kids[0];
  }
  return "";
}

void Uses::add_names(const std::string& method, ExprId id, std::set<std::string>& into) const {
  if (id == kNoExpr) {
    return;
  }
  const Expr& expr = program_.expr(id);
  if (expr.kind == ExprKind::kName ||
      (expr.kind == ExprKind::kAttribute && is_self(program_, expr.kids[0]))) {
    into.insert(root_of(method, id));
    return;
  }
  const CallForm form = expr.kind == ExprKind::kCall ? form_of(program_, expr) : CallForm();
  if (form.method != nullptr) {
    into.insert(form.method->name + "()");
  }
  for (std::size_t i = form.op != nullptr || form.method != nullptr ? expr.kids.size() : 0;
       i < expr.kids.size(); ++i) {
    add_names(method, expr.kids[i], into);
  }
  for (const CallArg& arg :
       form.op != nullptr || form.method != nullptr ? form.args : std::vector<CallArg>()) {
    add_names(method, arg.expr, into);
  }
}

std::set<std::string> Uses::names_in(const std::string& method, ExprId id) const {
  std::set<std::string> names;
  add_names(method, id, names);
  return names;
}

void Uses::declare(const std::string& method, const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    for (const ExprId target : stmt.targets) {
      const Expr& expr = program_.expr(target);
      const std::vector<ExprId> parts =
          expr.kind == ExprKind::kTuple ? expr.kids : std::vector<ExprId>{target};
      for (const ExprId part : parts) {
        const Expr& name = program_.expr(part);
        if (name.kind == ExprKind::kName) {
          declared.insert(method.empty() ? name.text : method + "." + name.text);
        } else if (name.kind == ExprKind::kAttribute && is_self(program_, name.kids[0])) {
          declared.insert("self." + name.text);
        }
      }
    }
    for (const Arm& arm : stmt.arms) {
      declare(method, arm.body);
    }
  }
}

// Each `name = value` of the program, once.
template <typename Each>
void Uses::each_assignment(Each&& each) const {
  const auto walk = [&](const auto& self, const std::string& method,
                        const std::vector<StmtId>& body) -> void {
    for (const StmtId id : body) {
      const Stmt& stmt = program_.stmt(id);
      for (const ExprId target :
           stmt.kind == StmtKind::kAssign ? stmt.targets : std::vector<ExprId>()) {
        if (program_.expr(target).kind != ExprKind::kIndex) {
          each(method, root_of(method, target), stmt.value);
        }
      }
      for (const Arm& arm : stmt.arms) {
        self(self, method, arm.body);
      }
    }
  };
  for (const Method& method : program_.methods) {
    walk(walk, method.name, method.body);
  }
}

// Names of names of buffers need another round each; a chain of them is short.
void Uses::find_buffers() {
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    each_assignment([&](const std::string& method, const std::string& name, ExprId value) {
      const Expr& expr = program_.expr(value);
      const CallForm form = expr.kind == ExprKind::kCall ? form_of(program_, expr) : CallForm();
      const std::string root = root_of(method, value);
      const OpGroup group = form.op != nullptr ? form.op->group : OpGroup::kNothing;
      if (group == OpGroup::kAlloc || group == OpGroup::kBarrier || group == OpGroup::kRing ||
          group == OpGroup::kProductAsync || buffers.count(root) != 0 || inputs.count(root) != 0) {
        buffers.insert(name);
      }
      if (shared.count(root) != 0 || (group == OpGroup::kAlloc && method == "__init__")) {
        shared.insert(name);
      }
    });
  }
}

bool Uses::is_value(const std::string& method, const CallArg& arg) const {
  return arg.param != nullptr && arg.param->kind == ArgKind::kNum &&
         buffers.count(root_of(method, arg.expr)) == 0;
}

void Uses::close(std::set<std::string>& names, bool through_loops) const {
  std::multimap<std::string_view, const Flow*> into;
  for (const Flow& flow : flows_) {
    if (through_loops || !flow.loop) {
      into.emplace(flow.target, &flow);
    }
  }
  std::vector<std::string> open(names.begin(), names.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto [first, last] = into.equal_range(name);
    for (auto at = first; at != last; ++at) {
      for (const std::string& read : at->second->reads) {
        if (names.insert(read).second) {
          open.push_back(read);
        }
      }
    }
  }
}

}  // namespace ws::ir
