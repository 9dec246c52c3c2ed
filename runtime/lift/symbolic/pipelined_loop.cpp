#include "runtime/lift/symbolic/pipelined_loop.h"

#include <algorithm>

namespace ws::lift {

Status PipelinedLoop::run() {
  WS_CHECK(around_.memory.flush());
  const std::string variable = rounds_.name_of(parts_);
  const SymbolId symbol = symbols_.intern(variable);
  const Poly round = Poly::of(symbol);
  WS_CHECK(run_first_rounds());
  find_carried();
  WS_TRY(RoundState start, state_of(round, case_.first ? kFirstRound : case_.inside));
  numbers_.assume(symbol, case_.period, case_.inside);
  WS_CHECK(find_temporaries(start, round));
  enter(std::move(start), false);
  WS_CHECK(rounds_.start_round(carried_, round));
  TermId condition = kNone;
  WS_TRY(const LoopEvent event, rounds_.measure(parts_, variable, condition));
  WS_CHECK(begin_place(round));
  const bool others_ask = around_.places.set_asks_for_last(false);
  WS_CHECK(rounds_.run_round(parts_, carried_, states_[0].objects, event, condition));
  around_.places.leave();
  const bool asks = around_.places.asks_for_last();
  around_.places.set_asks_for_last(asks || others_ask);
  WS_CHECK(around_.memory.check_rounds_apart());
  if (!case_.last) {
    WS_TRY(const RoundState said, state_of(round.plus(Poly(1)), (case_.inside + 1) % case_.period));
    WS_CHECK(check_state(said));
  }
  around_.memory.shared().meet_warp();
  if (!around_.reports.is_trial()) {
    around_.places.note_loop();
  }
  if (around_.places.loops() > 1 &&
      (case_.period > 1 || case_.peeled || around_.places.asks_for_last())) {
    // Their rounds would have to be counted apart.
    return fail(ErrorCode::kUnsupported,
                "several loops that work on what earlier rounds have loaded");
  }
  return case_.peeled || asks || case_.last ? leave_unknown() : leave(event);
}

/// Runs the round once, to see which variables it reads before it writes them.
Status PipelinedLoop::find_temporaries(const RoundState& start, const Poly& round) {
  enter(start, false);
  WS_CHECK(rounds_.start_round(carried_, round));
  std::set<ObjectId> around = around_.reads.begin();
  const bool outer = around_.reports.set_trial(true);
  WS_CHECK(begin_place(round));
  WS_CHECK(rounds_.try_round(parts_, false));
  around_.places.leave();
  around_.reports.set_trial(outer);
  rounds_.mark_temporaries(carried_);
  around_.reads.merge(std::move(around));
  return {};
}

/// After the loop: what its last round has left.
Status PipelinedLoop::leave(const LoopEvent& event) {
  const bool single = event.step.number() == 1;
  const Poly rounds = single ? event.total
                             : Poly::of(symbols_.intern("cdiv(" + symbols_.text_of(event.total) +
                                                        ", " + symbols_.text_of(event.step) + ")"));
  numbers_.assume_of(rounds, case_.period, case_.after);
  WS_TRY(RoundState end, state_of(rounds, case_.after));
  enter(std::move(end), true);
  return {};
}

/// The same where the first or the last round is another one: what no round changes stays, and
/// nothing else but sums is known.
Status PipelinedLoop::leave_unknown() {
  // Where the last round does less than the others, another case looks at what it leaves.
  const bool is_last = case_.last || !around_.places.asks_for_last();
  if (is_last && around_.copies.is_busy()) {
    return fail(ErrorCode::kUnsupported, "copies are under way when a loop ends");
  }
  around_.copies.set_groups({});
  RoundState end = states_[0];
  for (std::size_t id = 0; id < end.objects.size(); ++id) {
    Object& object = end.objects[id];
    const Object& later = states_.back().objects[id];
    for (std::size_t slot = 0; slot < object.leaves.size(); ++slot) {
      object.leaves[slot] = object.leaves[slot] == later.leaves[slot] ? later.leaves[slot] : Leaf();
    }
    Cells cells = around_.objects.all()[id].cells;
    cells.change([&](std::int64_t offset, Cell& cell) {
      const Cell* const before = object.cells.find(offset);
      const bool kept = before != nullptr && !cell.under_way && before->source == cell.source;
      cell.source.term = kept ? cell.source.term : kNone;
      cell.under_way = false;
    });
    object.cells = std::move(cells);
  }
  end.stretch = around_.memory.shared().now();
  end.groups.clear();
  enter(std::move(end), true);
  return {};
}

/// Remembers where in the loop the round is that begins now.
Status PipelinedLoop::begin_place(const Poly& round) {
  Effects::Saved before;
  for (const NodeId part : {parts_.condition, parts_.step}) {
    effects_.save(part, before);
  }
  WS_CHECK(parts_.step == kNone ? Status() : around_.runner.statement(parts_.step));
  WS_TRY(const TermId condition, around_.runner.term_of(parts_.condition));
  WS_TRY(Poly left, left_to_do(terms_, condition));
  effects_.restore(std::move(before));
  around_.places.enter({round, std::move(left)});
  return {};
}

}  // namespace ws::lift
