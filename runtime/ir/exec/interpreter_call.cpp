// Calls of operations.
#include <algorithm>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {

Result<Value> Interpreter::call(const Expr& expr) {
  const Expr& callee = program_.expr(expr.kids[0]);
  std::size_t positional = expr.kids.size() - 1 - expr.keywords.size();
  std::vector<Value> args;
  Value barrier;
  std::string name = callee.text;
  if (callee.kind == ExprKind::kAttribute) {
    const bool self =
        program_.expr(callee.kids[0]).text == "self" && find_op("self." + callee.text).has_value();
    if (self) {
      name = "self." + name;
    } else {
      WS_TRY(Value base, eval(callee.kids[0]));
      if (base.kind == Kind::kBarrier || base.kind == Kind::kRing) {
        name = (base.kind == Kind::kRing ? "ring." : "barrier.") + name;
        barrier = std::move(base);
      } else {
        args.push_back(std::move(base));
        ++positional;
      }
    }
  }
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    WS_TRY(Value value, eval(expr.kids[i]));
    args.push_back(std::move(value));
  }
  const std::optional<Op> op = find_op(name);
  if (!op) {
    return bad("unknown operation `" + name + "`");
  }
  place_ = expr.place;
  return call_op(info_of(*op), std::move(args), positional, expr, barrier);
}

Result<Value> Interpreter::call_op(const OpInfo& info, std::vector<Value> args,
                                   std::size_t positional, const Expr& expr, const Value& barrier) {
  // max(a, b, c) of numbers, two at a time.
  const bool extreme = info.op == Op::kMax || info.op == Op::kMin;
  while (extreme && args.size() > 2 && args[0].tile == nullptr && args[0].view == nullptr &&
         expr.keywords.empty()) {
    WS_TRY(args[1],
           apply_op(machine_.grid().mode, info.op, std::vector<Value>{args[0], args[1], Value()}));
    args.erase(args.begin());
    --positional;
  }
  WS_TRY(const std::vector<std::size_t> slots, bind_args(info, positional, expr.keywords));
  std::vector<Value> bound;
  std::transform(slots.begin(), slots.end(), std::back_inserter(bound),
                 [&](std::size_t slot) { return slot == kLeftOut ? Value() : args[slot]; });
  WS_CHECK(check_call(info, bound));
  Result<Value> result = dispatch(info, bound, barrier);
  if (!result) {
    return fail(result.error().code, "`" + std::string(info.name) + "`: " + result.error().message,
                result.error().hint);
  }
  yield_ = yield_ || info.effect == OpEffect::kSync || info.effect == OpEffect::kAsync;
  return result;
}

// The checker joins what different ways lead to, and gives up on loops that never settle: what
// comes here is checked again, by the same rules.
Status Interpreter::check_call(const OpInfo& info, const std::vector<Value>& args) {
  std::vector<Type> types;
  std::transform(args.begin(), args.end(), std::back_inserter(types), type_of);
  const bool numbers = types.size() > 1 && types[0].is_number() && types[1].is_number();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const OpParam& param = info.params[std::min(i, info.params.size() - 1)];
    const bool free = (numbers && info.group == OpGroup::kReduce) || param.repeated;
    Status status = free ? Status() : check_arg(param, types[i]);
    status = !free && status ? check_number(param, args[i]) : status;
    if (!status) {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + std::string(info.name) + "`: " + status.error().message,
                  status.error().hint);
    }
  }
  const Result<Type> type = infer_op(info.op, types);
  return type ? Status()
              : Status(fail(ErrorCode::kInvalidArgument,
                            "`" + std::string(info.name) + "`: " + type.error().message,
                            type.error().hint));
}

// A number that says where, how often or how much.
Status Interpreter::check_number(const OpParam& param, const Value& value) {
  if (param.kind == ArgKind::kNum || param.kind == ArgKind::kAny) {
    return {};
  }
  WS_CHECK(check_determined(value, "`" + param.name + "`"));
  for (const Value& item : value.items) {
    WS_CHECK(check_determined(item, "`" + param.name + "`"));
  }
  return {};
}

Result<Value> Interpreter::dispatch(const OpInfo& info, std::vector<Value>& args,
                                    const Value& barrier) {
  switch (info.group) {
    case OpGroup::kLoad:
      return load(args);
    case OpGroup::kGather:
      return gather(args);
    case OpGroup::kProductAsync:
      return gemm_async(args);
    case OpGroup::kAlloc:
      return alloc(args);
    case OpGroup::kBarrier:
      return barriers(args);
    case OpGroup::kRing:
      return ring(args);
    case OpGroup::kRingFull:
      return ring_full(barrier, args[0].integer);
    case OpGroup::kAtBlock:
      return at_block(args);
    case OpGroup::kStore:
      WS_CHECK(store(info.op, args));
      return Value();
    case OpGroup::kScatter:
      WS_CHECK(scatter(info.op, args));
      return Value();
    case OpGroup::kCopy:
      WS_CHECK(copy(args));
      return Value();
    case OpGroup::kCopyAsync:
      WS_CHECK(copy_async(copy_async_args(info.op, std::span<const Value>(args), &Value::string)));
      return Value();
    case OpGroup::kNothing: {
      if (barrier.kind == Kind::kRing) {
        WS_CHECK(ring_op(info.op, barrier, args[0].integer));
        return Value();
      }
      // By which the worker may wait for the end of this phase, whatever phase it is.
      const bool arrives = info.op == Op::kBarrierArrive || info.op == Op::kBarrierArriveExpect;
      const std::int64_t parity = arrives ? barrier.barrier->phase & 1 : 0;
      WS_CHECK(nothing(info, args, barrier));
      return arrives ? Value::of(parity) : Value();
    }
    default:
      return pure(info, args);
  }
}

Result<Value> Interpreter::pure(const OpInfo& info, std::vector<Value>& args) {
  for (std::size_t i = 0; i < args.size() && i < info.params.size(); ++i) {
    if (info.params[i].kind == ArgKind::kNum) {
      args[i] = read(args[i], gathers(info, args, i));
    }
  }
  if (info.op == Op::kGemm && args[2].text != "fma") {
    check_fragment("gemm", "a", args[0]);
    check_fragment("gemm", "b", args[1]);
  }
  WS_TRY(Value value, apply_op(machine_.grid().mode, info.op, args));
  count_operation(info.op, args, value);
  value.made_at = machine_.tick();
  if (info.op == Op::kGemm) {
    value.product = place_;
  } else if (info.group <= OpGroup::kCast || info.group == OpGroup::kScan) {
    value.product = fragment_of(args, value);
  }
  return value;
}

Status Interpreter::bind_role(const std::vector<Value>& args) {
  const bool whole = args.size() == 2 || args[2].kind == Kind::kNone;
  for (std::size_t i = 2; i < std::max<std::size_t>(args.size(), 3); ++i) {
    state_.bound.push_back({args[0].text, args[1].text, whole ? 0 : args[i].integer,
                            static_cast<std::int64_t>(i - 2)});
  }
  return {};
}

}  // namespace ws::ir
