// When nothing runs any more: deadlocks, and what a kernel leaves open.
#include <algorithm>

#include "runtime/ir/exec/machine.h"

namespace ws::ir {

namespace {

// Whether everybody who ever came to what a worker waits for is through: nobody is left who could
// end this wait, and who waits for this worker is a victim of it.
bool is_hopeless(const Actor& waits, const std::vector<Actor*>& actors) {
  const std::set<std::size_t>* const came = waits.wait->came;
  return came != nullptr && !came->empty() && std::ranges::none_of(actors, [&](const Actor* other) {
           return other != &waits && !other->done && came->contains(other->index);
         });
}

// The barrier that most likely stops all: someone came to it in this phase, or else it is after
// the others. Workers that wait for it stop those that wait for them.
bool stops_more(const Wait& wait, const Wait& other) {
  if (wait.barrier == nullptr || other.barrier == nullptr) {
    return wait.barrier != nullptr;
  }
  const auto touched = [](const Mbarrier& barrier) {
    // Bytes alone may be those of another block, which is ahead.
    return barrier.pending != barrier.expected || barrier.expects.bytes != 0;
  };
  const bool here = touched(*wait.barrier);
  const bool there = touched(*other.barrier);
  return here != there ? here : wait.barrier->phase < other.barrier->phase;
}

std::string state_of(const Actor& actor) {
  return actor.name + (actor.done   ? " is through"
                       : actor.wait ? " waits at line " + std::to_string(actor.wait->place.line) +
                                          " for " + actor.wait->reason()
                                    : " can run");
}

}  // namespace

// Copies bring other bytes than are expected, and everything else is there.
bool Machine::report_wrong_bytes(const Actor& actor) {
  const Mbarrier* barrier = actor.wait ? actor.wait->barrier : nullptr;
  if (barrier == nullptr || barrier->pending != 0 || barrier->tx == 0) {
    return false;
  }
  const SourcePlace expects = barrier->expects.place;
  report(FindingKind::kWrongExpectTx, actor, expects.line > 0 ? expects : barrier->init_place,
         barrier->copies.place, barrier->name,
         "`" + barrier->name + "` expects " + std::to_string(barrier->expects.bytes) +
             " bytes in phase " + std::to_string(barrier->phase) + " and " +
             std::to_string(barrier->copies.bytes) + " are copied: " + actor.name +
             " waits at line " + std::to_string(actor.wait->place.line) + " for ever",
         barrier->tx > 0 ? "copy the other " + std::to_string(barrier->tx) + " bytes, or expect " +
                               std::to_string(barrier->copies.bytes) + " bytes"
                         : "expect " + std::to_string(barrier->copies.bytes) + " bytes");
  return true;
}

void Machine::report_deadlock(const std::vector<Actor*>& actors) {
  std::string all;
  const Actor* worst = nullptr;
  bool worst_hopeless = false;
  for (const Actor* actor : actors) {
    if (report_wrong_bytes(*actor)) {
      return;
    }
    all += (all.empty() ? "" : "; ") + state_of(*actor);
    if (!actor->wait) {
      continue;
    }
    const bool hopeless = is_hopeless(*actor, actors);
    if (worst == nullptr || (hopeless && !worst_hopeless) ||
        (hopeless == worst_hopeless && stops_more(*actor->wait, *worst->wait))) {
      worst = actor;
      worst_hopeless = hopeless;
    }
  }
  if (worst == nullptr) {
    return;
  }
  const Mbarrier* barrier = worst->wait->barrier;
  report(FindingKind::kDeadlock, *worst, worst->wait->place,
         barrier != nullptr ? barrier->init_place : SourcePlace(),
         barrier != nullptr ? barrier->name : "barrier", "no worker can go on: " + all,
         barrier == nullptr ? "every worker that the barrier counts must come to it"
                            : "an arrival at `" + barrier->name +
                                  "` is missing, its init counts too many, or the wait names the "
                                  "wrong parity");
}

void Machine::check_closed(const Mbarrier& barrier) {
  if (!barrier.valid || barrier.tx == 0) {
    return;
  }
  const SourcePlace expects = barrier.expects.place;
  report(FindingKind::kWrongExpectTx, issuer(barrier.init_worker),
         expects.line > 0 ? expects : barrier.init_place, barrier.copies.place, barrier.name,
         "the kernel ends with phase " + std::to_string(barrier.phase) + " of `" + barrier.name +
             "` open: " + barrier.missing(),
         "expect as many bytes as are copied");
}

void Machine::check_end(const std::vector<Actor*>& actors) {
  while (!pending_.empty()) {
    complete(pending_.begin()->first);
  }
  for (const Started& note : started_) {
    const bool known = std::any_of(actors.begin(), actors.end(), [&](const Actor* actor) {
      return actor->rank == note.rank && actor->known.knows_op(note.awaited);
    });
    if (!known) {
      report(FindingKind::kNotWaited, issuer(note.worker), note.place, {}, note.object,
             "the kernel ends, and no worker waited for the operation that line " +
                 std::to_string(note.place.line) + " started on `" + note.object + "`",
             advice_at_end(note));
    }
  }
  for (const Units& units : units_) {
    for (const auto& row : units.barriers) {
      std::ranges::for_each(*row, [&](const Mbarrier& barrier) { check_closed(barrier); });
    }
  }
  check_remote(actors);
  for (const std::shared_ptr<Buffer>& tensor : tensors_) {
    Past& past = grid_.past[tensor.get()];
    for (const Access& access : tensor->shadow.accesses()) {
      past.add({access, units_[workers_.at(access.worker).rank].block}, tensor->shape);
    }
    tensor->shadow = Shadow();
  }
}

}  // namespace ws::ir
