// The engines: the operations that they were given, and when these happen.
#include <algorithm>
#include <iterator>

#include "runtime/ir/exec/machine.h"
#include "runtime/ir/exec/tile_ops.h"

namespace ws::ir {
namespace {

constexpr std::array<std::pair<Engine, const char*>, 3> kEngines = {
    {{Engine::kTma, "tma"}, {Engine::kWgmma, "wgmma"}, {Engine::kCpAsync, "cp.async"}}};

}  // namespace

void Machine::note_async(Actor& actor, const View& view, bool write, Engine engine,
                         std::uint32_t id, const std::string& swizzle, SourcePlace place) {
  Access access = access_of(actor, view, write, place);
  access.engine = engine;
  access.op = write ? id : id + 1;
  if (view.buffer->space == Space::kShared && !swizzle.empty()) {
    access.swizzle = swizzle == "none" ? "" : swizzle;
  }
  if (!write) {
    access.early = !check_written(actor, view, place);
  }
  note(actor, view, std::move(access));
}

void Machine::start(Actor& actor, AsyncOp op) {
  const std::uint32_t id = next_op_;
  next_op_ += 2;
  op.worker = actor.index;
  op.at_issue = actor.known;
  const bool stores = op.engine == Engine::kTma && op.barrier == nullptr;
  started_.push_back({{rank_of(*op.target.buffer).value_or(actor.rank), actor.index, op.place,
                       name_of(op.target), stores ? id + 1 : id}});
  started_.back().engine = op.engine;
  started_.back().stores = stores;
  if (op.barrier == nullptr) {
    actor.groups.at(static_cast<std::size_t>(op.engine)).open.push_back(id);
  } else {
    actor.known.advance(actor.index);  // Its barrier passes on what came before the copy only.
    op.phase = op.barrier->phase;
    started_.back().barrier = op.barrier;
    started_.back().phase = op.phase;
    started_.back().expected = op.barrier->pending < op.barrier->expected || op.barrier->tx > 0;
    op.barrier->copies = {op.place, op.barrier->copies.bytes + op.bytes};
  }
  mark_written(op.target);
  pending_.emplace(id, std::move(op));
  if (grid_.schedule.completion == Completion::kEarly) {
    complete(id);
  }
}

void Machine::copy_async(Actor& actor, const View& target, const View& source, Mbarrier* barrier,
                         Engine engine, const std::string& swizzle, bool padded,
                         SourcePlace place) {
  if (barrier != nullptr && !check_barrier(actor, *barrier, place)) {
    return;
  }
  for (const View* side : {&target, &source}) {
    // TMA cuts off what is beyond the edge; cp.async does not, unless it is told what to read.
    const bool dropped =
        side == &target && target.buffer->space == Space::kGlobal && several_workers(actor);
    if ((wholly_outside(*side) && !dropped) || (engine == Engine::kCpAsync && !padded)) {
      check_edge(actor, *side, place);
    }
  }
  trace_.note(actor.index, EventKind::kCopy, name_of(target), place);
  check_writable(actor, target, place);
  check_copy_addresses(actor, target, source, engine, swizzle, place);
  note_async(actor, source, false, engine, next_op_, swizzle, place);
  note_async(actor, target, true, engine, next_op_, swizzle, place);
  AsyncOp op;
  op.engine = engine;
  op.place = place;
  op.source = source;
  op.target = target;
  op.barrier = barrier;
  op.bytes = bytes_of(shape_of(target), target.buffer->dtype);
  start(actor, std::move(op));
}

void Machine::check_wgmma_fence(Actor& actor, const View& view, SourcePlace place) {
  const std::optional<Access> late =
      view.buffer->space == Space::kRegister
          ? view.buffer->shadow.written_since(inside(view), actor.index, actor.wgmma_fence_at)
          : std::nullopt;
  if (late) {
    report(FindingKind::kMissingWgmmaFence, actor, place, late->place, name_of(view),
           "`" + name_of(view) + "` is used by gemm_async, and was written at line " +
               std::to_string(late->place.line) + " without wgmma_fence() between",
           "wgmma_fence() after line " + std::to_string(late->place.line));
  }
}

// PTX 8.0, wgmma.mma_async: only 16-bit operands may lie the other way round in shared memory.
void Machine::check_major(Actor& actor, const View& view, bool right, SourcePlace place) {
  const bool reversed = view.axes.size() == 2 && view.axes[0] > view.axes[1];
  if (view.buffer->space != Space::kShared || size_of(view.buffer->dtype) == 2 ||
      reversed == right) {
    return;
  }
  const std::string object = name_of(view);
  report(FindingKind::kLayoutMismatch, actor, place, view.buffer->place, object,
         "`" + object + "` of " + std::string(name_of(view.buffer->dtype)) +
             " lies with k across its rows: wgmma takes that of 16-bit elements only",
         right ? "keep b as (n, k) in memory and write b.T" : "keep a as (m, k) in memory");
}

View Machine::product_async(Actor& actor, const Value& a, const View& b, const View* acc,
                            bool accumulates, DType dtype, const std::string& swizzle,
                            SourcePlace place) {
  AsyncOp op;
  op.engine = Engine::kWgmma;
  op.place = place;
  trace_.note(actor.index, EventKind::kProduct, acc != nullptr ? acc->buffer->name : "", place);
  op.b = b;
  if (a.kind == Kind::kBuffer) {
    op.source = *a.view;
    check_major(actor, *a.view, false, place);
    check_operand_address(actor, *a.view, swizzle, place);
    check_wgmma_fence(actor, *a.view, place);
    note_async(actor, *a.view, false, op.engine, next_op_, swizzle, place);
  } else {
    op.a = a;
    if (a.made_at > actor.wgmma_fence_at) {
      report(FindingKind::kMissingWgmmaFence, actor, place, {}, "a",
             "`a` is a tile in registers that was computed after the last wgmma_fence()",
             "wgmma_fence() before this line");
    }
  }
  check_major(actor, b, true, place);
  check_operand_address(actor, b, swizzle, place);
  note_async(actor, b, false, op.engine, next_op_, swizzle, place);
  if (acc != nullptr) {
    op.target = *acc;
    op.accumulates = accumulates;
    check_wgmma_fence(actor, *acc, place);
    if (accumulates) {
      check_written(actor, *acc, place);
    }
  } else {
    const Shape a_shape = op.source ? shape_of(*op.source) : op.a.tile->shape;
    op.target =
        view_of(make_buffer(actor, "the product of line " + std::to_string(place.line),
                            Space::kRegister, dtype, {a_shape[0], shape_of(b)[1]}, "", place));
  }
  op.target.buffer->product = place;
  note_async(actor, op.target, true, op.engine, next_op_, "", place);
  const View target = op.target;
  start(actor, std::move(op));
  return target;
}

void Machine::commit_group(Actor& actor, const std::string& kind) {
  for (const auto& [engine, name] : kEngines) {
    Groups& groups = actor.groups.at(static_cast<std::size_t>(engine));
    if (kind == name || (kind.empty() && !groups.open.empty())) {
      for (const std::uint32_t id : groups.open) {
        started_[id / 2].committed_at = count_;
      }
      groups.committed.push_back(std::exchange(groups.open, {}));
    }
  }
}

void Machine::wait_group(Actor& actor, std::int64_t n, const std::string& kind, bool read,
                         SourcePlace place) {
  actor.arrives_since.reset();
  for (const auto& [engine, name] : kEngines) {
    if (!kind.empty() && kind != name) {
      continue;
    }
    trace_.note(actor.index, EventKind::kWaitGroup, name, place);
    std::deque<std::vector<std::uint32_t>>& groups =
        actor.groups.at(static_cast<std::size_t>(engine)).committed;
    const std::size_t kept =
        std::min(groups.size(), static_cast<std::size_t>(std::max<std::int64_t>(n, 0)));
    for (std::size_t i = 0; i + kept < groups.size(); ++i) {
      for (const std::uint32_t id : groups[i]) {
        complete(id);
        actor.known.complete(id + 1);
        if (!read) {
          actor.known.complete(id);
        }
      }
    }
    if (!read) {
      groups.erase(groups.begin(), groups.end() - static_cast<std::ptrdiff_t>(kept));
    }
  }
}

void Machine::complete_one(std::size_t which) {
  complete(std::next(pending_.begin(), static_cast<std::ptrdiff_t>(which))->first);
}

void Machine::complete(std::uint32_t id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) {
    return;
  }
  if (found->second.engine == Engine::kWgmma) {
    for (auto it = pending_.begin(); it->first != id;) {
      const bool before =
          it->second.engine == Engine::kWgmma && it->second.worker == found->second.worker;
      if (before) {
        act(it->second);
      }
      it = before ? pending_.erase(it) : std::next(it);
    }
  }
  const AsyncOp op = std::move(pending_.extract(id).mapped());
  act(op);
  if (op.barrier == nullptr) {
    return;
  }
  Mbarrier& barrier = *op.barrier;
  barrier.arriving.join(op.at_issue);
  barrier.arriving.complete(id);
  barrier.arriving.complete(id + 1);
  Actor starter = issuer(op.worker);
  if (op.engine == Engine::kTma) {
    barrier.arrivals.ever.insert(op.worker);
    barrier.tx -= op.bytes;
    finish_phase(starter, barrier);
  } else {
    count_arrival(starter, barrier, 1, op.place);
  }
}

void Machine::act(const AsyncOp& op) {
  trace_.note(op.worker, op.b ? EventKind::kComputed : EventKind::kCopied, op.target.buffer->name,
              op.place);
  if (grid_.mode == ValueMode::kNone && (op.b || is_float(op.target.buffer->dtype))) {
    ws::ir::write(op.target, {}, grid_.mode);
  } else if (op.b) {
    act_product(op);
  } else {
    std::vector<double> elements = ws::ir::read(*op.source, 0);
    check_determined(issuer(op.worker), op.target, elements, op.place);
    ws::ir::write(op.target, std::move(elements), grid_.mode);
  }
}

void Machine::act_product(const AsyncOp& op) {
  const auto tile = [](const View& view) {
    return Tile{view.buffer->dtype, shape_of(view), ws::ir::read(view, 0)};
  };
  const Tile a = op.source ? tile(*op.source) : *op.a.tile;
  const Tile acc = tile(op.target);
  Tile result =
      product(grid_.mode, op.target.buffer->dtype, a, tile(*op.b), op.accumulates ? &acc : nullptr);
  ws::ir::write(op.target, std::move(result.data), grid_.mode);
}

}  // namespace ws::ir
