// Loops of a symbolic run: unrolled where the number of rounds is known and small, else run once
// with a symbol for the round.
#include "runtime/lift/symbolic/loops.h"

#include <algorithm>

#include "runtime/lift/symbolic/pipelined_loop.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxUnrolled = 128;

}  // namespace

Loops::Loops(const Basis& basis, const Surroundings& around, const std::set<ObjectId>* needed)
    : basis_(basis),
      around_(around),
      tree_(basis.tree),
      mode_(basis.mode),
      numbers_(basis.numbers),
      runner_(around.runner),
      steps_(around.steps),
      guards_(around.guards),
      control_(around.control),
      effects_(basis.tree, around.objects),
      rounds_(basis, around, needed) {}

Status Loops::run(const Node& node) {
  LoopParts parts;
  if (node.kind == NodeKind::kFor) {
    WS_CHECK(runner_.statement(node.kids[0]));
    parts = {node.kids[1], node.kids[2], node.kids[3]};
  } else if (node.kind == NodeKind::kWhile) {
    parts = {node.kids[0], kNone, node.kids[1]};
  } else {
    // do: the first round is certain.
    parts = {node.kids[1], kNone, node.kids[0]};
    WS_CHECK(rounds_.body(parts));
    if (control_.flow() == Flow::kContinue) {
      control_.go(Flow::kNext);
    }
  }
  if (control_.flow() != Flow::kNext || tree_.node(parts.condition).kind == NodeKind::kBlock) {
    return fail(ErrorCode::kUnsupported, "a loop without a condition");
  }
  WS_TRY(const bool known, is_short(parts));
  WS_CHECK(known ? unroll(parts) : symbolic_loop(parts));
  steps_.enter(node.range);
  return {};
}

/// Whether all rounds are known. Found out by the condition and the step alone.
Result<bool> Loops::is_short(const LoopParts& parts) {
  if (std::max(effects_.changes_of(parts.condition), effects_.changes_of(parts.step)) ==
      Changes::kMore) {
    return false;  // It could not be undone.
  }
  Effects::Saved before;
  for (const NodeId part : {parts.condition, parts.step}) {
    effects_.save(part, before);
  }
  const Lanes around = guards_.active();
  bool known = false;
  for (std::size_t round = 0; round <= kMaxUnrolled; ++round) {
    WS_TRY(const TermId condition, runner_.term_of(parts.condition));
    const std::optional<Lanes> truth = numbers_.truth_of(condition);
    if (!truth) {
      break;
    }
    guards_.keep(*truth);
    if (guards_.is_nobody() || parts.step == kNone) {
      known = true;
      break;
    }
    WS_CHECK(runner_.statement(parts.step));
  }
  guards_.exchange(around);
  effects_.restore(std::move(before));
  return known;
}

Status Loops::unroll(const LoopParts& parts) {
  const Lanes around = guards_.active();
  for (std::size_t round = 0;; ++round) {
    WS_TRY(const TermId condition, runner_.term_of(parts.condition));
    const std::optional<Lanes> truth = numbers_.truth_of(condition);
    if (!truth || round > kMaxUnrolled) {
      return fail(ErrorCode::kUnsupported, "a loop whose rounds cannot be counted");
    }
    guards_.keep(*truth);
    if (guards_.is_nobody()) {
      break;
    }
    WS_CHECK(rounds_.body(parts));
    const bool all = guards_.active() == around;
    if (control_.flow() == Flow::kReturn || (control_.flow() == Flow::kBreak && !all)) {
      return fail(ErrorCode::kUnsupported, "some threads leave a loop or function before others");
    }
    const bool ended = control_.flow() == Flow::kBreak;
    control_.go(Flow::kNext);
    if (ended) {
      break;
    }
    WS_CHECK(parts.step == kNone ? Status() : runner_.statement(parts.step));
  }
  guards_.exchange(around);
  return {};
}

Status Loops::symbolic_loop(const LoopParts& parts) {
  if (mode_.is_part()) {
    return fail(ErrorCode::kUnsupported, kUnknownRounds);
  }
  if (effects_.changes_of(parts.condition) != Changes::kNothing) {
    return fail(ErrorCode::kUnsupported, "a loop whose condition changes something");
  }
  if (!guards_.are_all_active() && around_.carried.depth() > 4) {
    return fail(ErrorCode::kUnsupported, "loops nested too deeply");
  }
  if (mode_.pipeline.period > 0) {
    if (effects_.changes_of(parts.step) == Changes::kMore) {
      return fail(ErrorCode::kUnsupported, "a loop whose step changes more than variables");
    }
    return PipelinedLoop(basis_, around_, rounds_, effects_, parts).run();
  }
  return rounds_.run(parts);
}

}  // namespace ws::lift
