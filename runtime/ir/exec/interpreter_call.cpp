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
      if (base.kind == Kind::kBarrier) {
        name = "barrier." + name;
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
      WS_CHECK(copy_async(args));
      return Value();
    case OpGroup::kNothing: {
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
      args[i] = read(args[i]);
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
    state_.bound.push_back({args[0].text, args[1].text, whole ? 0 : args[i].integer});
  }
  return {};
}

/// The bytes that a phase is told to expect: numbers of them, and buffers.
Result<std::int64_t> Interpreter::expected_bytes(const std::vector<Value>& args) {
  std::int64_t sum = 0;
  for (const Value& arg : args) {
    if (arg.kind == Kind::kBuffer) {
      sum += bytes_of(shape_of(*arg.view), arg.dtype);
    } else {
      WS_CHECK(check_determined(arg, "`bytes`"));
      sum += arg.integer;
    }
  }
  return sum;
}

Status Interpreter::nothing(const OpInfo& info, const std::vector<Value>& args,
                            const Value& barrier) {
  std::int64_t first = args.empty() || args[0].kind == Kind::kNone ? 1 : args[0].integer;
  if (info.op == Op::kBarrierExpect || info.op == Op::kBarrierArriveExpect) {
    WS_TRY(first, expected_bytes(args));
  }
  switch (info.op) {
    case Op::kBind:
      return bind_role(args);
    case Op::kCommitGroup:
      machine_.commit_group(actor_, args[0].text);
      return {};
    case Op::kWaitGroup:
      machine_.wait_group(actor_, first, args[1].text, args[2].integer != 0);
      return {};
    case Op::kBarSync:
    case Op::kBarArrive:
      machine_.named_barrier(actor_, machine_.named(actor_, first),
                             std::max<std::int64_t>(actor_.threads, 32), args[1].integer,
                             info.op == Op::kBarSync, "named barrier " + std::to_string(first),
                             place_);
      return {};
    case Op::kCtaSync: {
      const auto workers = static_cast<std::int64_t>(std::max<std::size_t>(state_.bound.size(), 1));
      machine_.named_barrier(actor_, machine_.whole_block(actor_), 1, workers, true, "cta_sync()",
                             place_);
      return {};
    }
    case Op::kClusterArrive:
      machine_.cluster_arrive(actor_, place_);
      return {};
    case Op::kClusterWait:
      return machine_.cluster_wait(actor_, place_);
    case Op::kClusterSync:
      machine_.cluster_arrive(actor_, place_);
      return machine_.cluster_wait(actor_, place_);
    case Op::kFenceProxyAsync:
      actor_.known.fence();
      actor_.known.advance(actor_.index);  // Accesses after the fence are not fenced.
      return {};
    case Op::kWgmmaFence:
      actor_.wgmma_fence_at = machine_.tick();
      return {};
    case Op::kSetMaxRegisters:
      machine_.set_max_registers(actor_, first, place_);
      return {};
    case Op::kFence:
    case Op::kCommit:
      return {};
    default:
      break;
  }
  const std::int64_t count =
      info.op == Op::kBarrierInit && !barrier.shape.empty() ? barrier.shape[0] : 1;
  for (std::int64_t i = 0; i < count; ++i) {
    WS_CHECK(machine_.barrier_op(actor_, info.op, barrier.barrier[i], first, place_));
  }
  return {};
}

}  // namespace ws::ir
