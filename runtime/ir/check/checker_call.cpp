// Calls: operations by the list, methods of values, and the class's own methods.
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/ir/check/checker_impl.h"

namespace ws::ir {
namespace {

// Shared memory that a block may have on sm_90: 227 KB.
constexpr std::int64_t kMaxSharedBytes = 232448;
constexpr std::size_t kMaxCallDepth = 16;

std::vector<std::string> callable_names() {
  std::vector<std::string> names;
  for (const OpInfo& info : all_ops()) {
    if (info.name.find('.') == std::string_view::npos) {
      names.emplace_back(info.name);
    }
  }
  return names;
}

}  // namespace

std::vector<Type> Checker::arguments(const Expr& expr) {
  std::vector<Type> args;
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    args.push_back(eval(expr.kids[i]));
  }
  return args;
}

const Method* Checker::own_method(const Expr& expr) const {
  if (expr.kind != ExprKind::kCall) {
    return nullptr;
  }
  const Expr& callee = program_.expr(expr.kids[0]);
  if (callee.kind != ExprKind::kAttribute || find_op("self." + callee.text)) {
    return nullptr;
  }
  const Expr& base = program_.expr(callee.kids[0]);
  return base.kind == ExprKind::kName && base.text == "self" ? program_.find_method(callee.text)
                                                             : nullptr;
}

Type Checker::call(const Expr& expr) {
  const Expr& callee = program_.expr(expr.kids[0]);
  if (own_method(expr) != nullptr) {
    return error(expr.place, "a call of self." + callee.text + " inside an expression",
                 "give its result a name first: x = self." + callee.text + "(...)");
  }
  if (callee.kind == ExprKind::kAttribute) {
    return attribute_call(expr);
  }
  if (callee.kind != ExprKind::kName) {
    return error(expr.place, "this cannot be called");
  }
  const std::optional<Op> op = find_op(callee.text);
  if (!op || callee.text.find('.') != std::string::npos) {
    const bool method = program_.find_method(callee.text) != nullptr;
    return error(expr.place, "unknown operation `" + callee.text + "`",
                 method ? "self." + callee.text + "(...) calls the method"
                        : suggest(callee.text, callable_names()));
  }
  std::vector<Type> args = arguments(expr);
  return call_op(info_of(*op), std::move(args), expr.kids.size() - 1 - expr.keywords.size(), expr);
}

// self.bind(...), barrier.wait(...), x.max(1).
Type Checker::attribute_call(const Expr& expr) {
  const Expr& callee = program_.expr(expr.kids[0]);
  const Expr& base_expr = program_.expr(callee.kids[0]);
  const bool self = base_expr.kind == ExprKind::kName && base_expr.text == "self";
  const std::size_t positional = expr.kids.size() - 1 - expr.keywords.size();
  if (self && find_op("self." + callee.text)) {
    return call_op(info_of(*find_op("self." + callee.text)), arguments(expr), positional, expr);
  }
  if (self && self_.count(callee.text) == 0) {
    return error(callee.place, "the class has no method `" + callee.text + "`");
  }
  const bool named = locals_.count(base_expr.text) > 0 || globals_.count(base_expr.text) > 0;
  if (base_expr.kind == ExprKind::kName && is_library(base_expr.text) && !named) {
    return error(callee.place, "unknown operation `" + base_expr.text + "." + callee.text + "`",
                 suggest(callee.text, callable_names()));
  }
  const Type base = eval(callee.kids[0]);
  if (is_broken(base)) {
    return base;
  }
  std::vector<Type> args = arguments(expr);
  if (base.kind == Kind::kBarrier) {
    const std::optional<Op> op = find_op("barrier." + callee.text);
    if (!op) {
      return error(callee.place, "a barrier has no method `" + callee.text + "`",
                   "known: init, arrive, expect_tx, arrive_expect_tx, wait, inval");
    }
    const bool each = *op == Op::kBarrierInit || *op == Op::kBarrierInval;
    if (!each && !base.shape.empty() && base.shape != Shape{1}) {
      return error(callee.place, "`" + callee.text + "` of an array of barriers",
                   "say which one: bars[i]." + callee.text + "(...)");
    }
    return call_op(info_of(*op), std::move(args), positional, expr);
  }
  if (base.kind == Kind::kRing) {
    const std::optional<Op> op = find_op("ring." + callee.text);
    return op ? call_op(info_of(*op), std::move(args), positional, expr)
              : error(callee.place, "a ring has no method `" + callee.text + "`",
                      "known: acquire, full, wait, release");
  }
  const std::optional<Op> op = find_op(callee.text);
  const bool method = op && info_of(*op).effect == OpEffect::kPure && base.is_tile() &&
                      info_of(*op).group <= OpGroup::kBroadcast;
  if (!method) {
    return error(callee.place, describe(base) + " has no method `" + callee.text + "`");
  }
  args.insert(args.begin(), base);
  return call_op(info_of(*op), std::move(args), positional + 1, expr);
}

Type Checker::call_op(const OpInfo& info, std::vector<Type> args, std::size_t positional,
                      const Expr& expr) {
  const std::string prefix = "`" + std::string(info.name) + "`: ";
  // max(a, b, ...) of numbers.
  const bool extreme = info.op == Op::kMax || info.op == Op::kMin;
  if (extreme && args.size() > 2 && args[0].is_number() && expr.keywords.empty()) {
    args.resize(2);
    positional = 2;
  }
  const Result<std::vector<std::size_t>> slots = bind_args(info, positional, expr.keywords);
  if (!slots) {
    return error(expr.place, slots.error(), prefix);
  }
  std::vector<Type> bound;
  for (std::size_t i = 0; i < slots->size(); ++i) {
    bound.push_back((*slots)[i] == kLeftOut ? Type() : args[(*slots)[i]]);
    if (is_broken(bound.back())) {
      return broken();
    }
    const OpParam& param = info.params[std::min(i, info.params.size() - 1)];
    const bool number = extreme && i == 1 && bound[0].is_number() && bound[1].is_number();
    if (const Status status = check_arg(param, bound.back());
        !status && !number && !(param.repeated && bound.back().kind == Kind::kNone)) {
      return error(expr.place, status.error(), prefix);
    }
  }
  const Result<Type> result = infer_op(info.op, bound);
  if (!result) {
    return error(expr.place, result.error(), prefix);
  }
  if (info.op == Op::kBind) {
    bind(bound, expr.place);
  }
  place_rules(info, *result, expr.place);
  return *result;
}

// Some operations are allowed only in a role, others only outside of roles.
void Checker::place_rules(const OpInfo& info, const Type& result, SourcePlace place) {
  const bool shared = info.op == Op::kAlloc && result.space == Space::kShared;
  const bool setup = shared || info.op == Op::kBarrier || info.group == OpGroup::kBarrier ||
                     info.group == OpGroup::kRing || info.op == Op::kBind || info.op == Op::kCommit;
  if (setup && in_role_) {
    error(place, "`" + std::string(info.name) + "` in a role",
          "shared memory, barriers and roles are made in __init__ and run");
    return;
  }
  if (shared) {
    shared_bytes_ += bytes_of(result.shape, result.dtype);
    if (shared_bytes_ > kMaxSharedBytes) {
      error(place, "`alloc`: " + std::to_string(shared_bytes_) +
                       " bytes of shared memory with this buffer: a block has " +
                       std::to_string(kMaxSharedBytes));
    }
  }
}

Type Checker::call_method(const Method& method, const std::vector<Type>& args, const Expr& expr) {
  if (std::find(calls_.begin(), calls_.end(), method.name) != calls_.end() ||
      calls_.size() >= kMaxCallDepth) {
    return error(expr.place, "self." + method.name + " calls itself", "write a loop");
  }
  OpInfo info = info_of(Op::kLen);
  info.params.clear();
  for (const Param& param : method.params) {
    info.params.push_back({param.name, ArgKind::kAny, param.default_value == kNoExpr, false});
  }
  info.signature = {};
  const Result<std::vector<std::size_t>> slots =
      bind_args(info, args.size() - expr.keywords.size(), expr.keywords);
  if (!slots) {
    return error(expr.place, Error{ErrorCode::kInvalidArgument, slots.error().message, "", ""},
                 "`self." + method.name + "`: ");
  }
  Names inner;
  for (std::size_t i = 0; i < method.params.size(); ++i) {
    inner[method.params[i].name] =
        (*slots)[i] == kLeftOut ? eval(method.params[i].default_value) : args[(*slots)[i]];
  }
  const Names outer = std::exchange(locals_, std::move(inner));
  const Type returned = std::exchange(returned_, Type());
  calls_.push_back(method.name);
  block(method.body);
  calls_.pop_back();
  locals_ = outer;
  return std::exchange(returned_, returned);
}

}  // namespace ws::ir
