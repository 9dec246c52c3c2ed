#include "runtime/lift/symbolic/pipelined_loop.h"

#include <algorithm>

namespace ws::lift {

Status PipelinedLoop::run() {
  WS_CHECK(block_.memory_.flush());
  const std::string variable = block_.loop_name(parts_);
  const SymbolId symbol = block_.symbols_.intern(variable);
  const Poly round = Poly::of(symbol);
  WS_CHECK(run_first_rounds());
  find_carried();
  WS_TRY(RoundState start, state_of(round, case_.first ? kFirstRound : case_.inside));
  block_.numbers_.assume(symbol, case_.period, case_.inside);
  WS_CHECK(find_temporaries(start, round));
  enter(std::move(start), false);
  WS_CHECK(block_.start_round(carried_, round));
  TermId condition = kNone;
  WS_TRY(const LoopEvent event, block_.measure(parts_, variable, condition));
  WS_CHECK(begin_place(round));
  const bool others_ask = block_.places_.set_asks_for_last(false);
  WS_CHECK(block_.run_round(parts_, carried_, states_[0].objects, event, condition));
  block_.places_.leave();
  const bool asks = block_.places_.asks_for_last();
  block_.places_.set_asks_for_last(asks || others_ask);
  WS_CHECK(block_.memory_.check_rounds_apart());
  if (!case_.last) {
    WS_TRY(const RoundState said, state_of(round.plus(Poly(1)), (case_.inside + 1) % case_.period));
    WS_CHECK(check_state(said));
  }
  block_.memory_.shared().meet_warp();
  block_.pipelines_ += block_.reports_.is_trial() ? 0 : 1;
  if (block_.pipelines_ > 1 &&
      (case_.period > 1 || case_.peeled || block_.places_.asks_for_last())) {
    // Their rounds would have to be counted apart.
    return fail(ErrorCode::kUnsupported,
                "several loops that work on what earlier rounds have loaded");
  }
  return case_.peeled || asks || case_.last ? leave_unknown() : leave(event);
}

/// Runs the round once, to see which variables it reads before it writes them.
Status PipelinedLoop::find_temporaries(const RoundState& start, const Poly& round) {
  enter(start, false);
  WS_CHECK(block_.start_round(carried_, round));
  std::set<ObjectId> around = block_.round_reads_.begin();
  const bool outer = block_.reports_.set_trial(true);
  WS_CHECK(begin_place(round));
  WS_CHECK(block_.dry_round(parts_, false));
  block_.places_.leave();
  block_.reports_.set_trial(outer);
  block_.mark_temporaries(carried_);
  block_.round_reads_.merge(std::move(around));
  return {};
}

/// After the loop: what its last round has left.
Status PipelinedLoop::leave(const LoopEvent& event) {
  Symbols& symbols = block_.symbols_;
  const bool single = event.step.number() == 1;
  const Poly rounds = single ? event.total
                             : Poly::of(symbols.intern("cdiv(" + symbols.text_of(event.total) +
                                                       ", " + symbols.text_of(event.step) + ")"));
  block_.numbers_.assume_of(rounds, case_.period, case_.after);
  WS_TRY(RoundState end, state_of(rounds, case_.after));
  enter(std::move(end), true);
  return {};
}

/// The same where the first or the last round is another one: what no round changes stays, and
/// nothing else but sums is known.
Status PipelinedLoop::leave_unknown() {
  // Where the last round does less than the others, another case looks at what it leaves.
  const bool is_last = case_.last || !block_.places_.asks_for_last();
  if (is_last && block_.copies_.is_busy()) {
    return fail(ErrorCode::kUnsupported, "copies are under way when a loop ends");
  }
  block_.copies_.set_groups({});
  RoundState end = states_[0];
  for (std::size_t id = 0; id < end.objects.size(); ++id) {
    Object& object = end.objects[id];
    const Object& later = states_.back().objects[id];
    for (std::size_t slot = 0; slot < object.leaves.size(); ++slot) {
      object.leaves[slot] = object.leaves[slot] == later.leaves[slot] ? later.leaves[slot] : Leaf();
    }
    Cells cells = block_.objects_.all()[id].cells;
    cells.change([&](std::int64_t offset, Cell& cell) {
      const Cell* const before = object.cells.find(offset);
      const bool kept = before != nullptr && !cell.under_way && before->source == cell.source;
      cell.source.term = kept ? cell.source.term : kNone;
      cell.under_way = false;
    });
    object.cells = std::move(cells);
  }
  end.stretch = block_.memory_.shared().now();
  end.groups.clear();
  enter(std::move(end), true);
  return {};
}

/// Remembers where in the loop the round is that begins now.
Status PipelinedLoop::begin_place(const Poly& round) {
  std::map<ObjectId, Object> before;
  for (const NodeId part : {parts_.condition, parts_.step}) {
    block_.save_assigned(part, before);
  }
  WS_CHECK(parts_.step == kNone ? Status() : block_.statement(parts_.step));
  WS_TRY(const TermId condition, block_.term_of(parts_.condition));
  WS_TRY(Poly left, left_to_do(block_.terms_, condition));
  for (auto& [id, saved] : before) {
    block_.objects_.at(id) = std::move(saved);
  }
  block_.places_.enter({round, std::move(left)});
  return {};
}

Status Block::pipelined_loop(const LoopParts& parts) {
  return PipelinedLoop(*this, parts).run();
}

}  // namespace ws::lift
