// Barriers, rings, groups and fences.
#include <algorithm>

#include "runtime/ir/exec/interpreter.h"

namespace ws::ir {

Result<Value> Interpreter::at_block(const std::vector<Value>& args) {
  if (args[0].kind != Kind::kBarrier) {
    WS_TRY(const View view, machine_.at_block(*args[0].view, args[1].integer));
    return value_of(view);
  }
  Value value = args[0];
  WS_TRY(value.barrier, machine_.at_block(*args[0].barrier, args[1].integer));
  return value;
}

Result<Value> Interpreter::ring(const std::vector<Value>& args) {
  Value value;
  value.kind = Kind::kRing;
  for (const std::int64_t arrivals :
       {std::int64_t{1}, args[1].kind == Kind::kNone ? 1 : args[1].integer}) {
    WS_TRY(const Value row, barriers({args[0]}));
    for (std::int64_t i = 0; i < row.shape[0]; ++i) {
      WS_CHECK(machine_.barrier_op(actor_, Op::kBarrierInit, row.barrier[i], arrivals, place_));
    }
    value.shape = row.shape;
    value.items.push_back(row);
  }
  return value;
}

Value Interpreter::ring_full(const Value& ring, std::int64_t round) {
  Value value = ring.items[0];
  value.barrier += round % ring.shape[0];
  value.shape.clear();
  return value;
}

// Phase n of a stage's barriers is that of its round number n. On a fresh barrier the phase before
// the first one counts as complete: the first rounds find their stages free.
Status Interpreter::ring_op(Op op, const Value& ring, std::int64_t round) {
  const std::int64_t stages = ring.shape[0];
  const std::int64_t parity = round / stages % 2;
  Mbarrier& full = ring.items[0].barrier[round % stages];
  Mbarrier& empty = ring.items[1].barrier[round % stages];
  switch (op) {
    case Op::kRingAcquire:
      return machine_.barrier_op(actor_, Op::kBarrierWait, empty, parity ^ 1, place_);
    case Op::kRingWait:
      return machine_.barrier_op(actor_, Op::kBarrierWait, full, parity, place_);
    default:  // kRingRelease
      return machine_.barrier_op(actor_, Op::kBarrierArrive, empty, 1, place_);
  }
}

Result<Value> Interpreter::barriers(const std::vector<Value>& args) {
  Value value;
  value.kind = Kind::kBarrier;
  value.shape = {args[0].kind == Kind::kNone ? 1 : args[0].integer};
  value.barrier = machine_.make_barriers(actor_, value.shape[0]).data();
  return value;
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
      machine_.wait_group(actor_, first, args[1].text, args[2].integer != 0, place_);
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
