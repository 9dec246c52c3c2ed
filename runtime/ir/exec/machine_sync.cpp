// Barriers: arrivals, waits, and what goes wrong with them.
#include <algorithm>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/machine.h"

namespace ws::ir {
namespace {

std::string differing_threads(const std::string& name, std::int64_t threads,
                              const Arrivals::One& other) {
  return name + " is for " + std::to_string(threads) + " threads here and for " +
         std::to_string(other.threads) + " at line " + std::to_string(other.place.line);
}

}  // namespace

std::vector<Mbarrier>& Machine::make_barriers(const Actor& actor, std::int64_t count) {
  auto& barriers = units_[actor.rank].barriers;
  barriers.push_back(std::make_unique<std::vector<Mbarrier>>(static_cast<std::size_t>(count)));
  return *barriers.back();
}

bool Machine::check_barrier(Actor& actor, const Mbarrier& barrier, SourcePlace place) {
  if (!barrier.valid) {
    report(FindingKind::kBarrierNotInitialised, actor, place, {}, barrier.name,
           "`" + barrier.name + "` is used and was not initialised",
           barrier.name + ".init(count) in __init__");
    return false;
  }
  if (!actor.known.knows(barrier.init_worker, barrier.init_epoch)) {
    report(FindingKind::kBarrierNotInitialised, actor, place, barrier.init_place, barrier.name,
           "`" + barrier.name + "` is used, and nothing orders this after its init at line " +
               std::to_string(barrier.init_place.line),
           rank_of(barrier) == actor.rank ? "cta_sync() after the init"
                                          : "cluster_sync() after the init");
  }
  return true;
}

Status Machine::barrier_op(Actor& actor, Op op, Mbarrier& barrier, std::int64_t value,
                           SourcePlace place) {
  if (op == Op::kBarrierInit) {
    if (barrier.valid) {
      report(FindingKind::kBarrierInitialisedTwice, actor, place, barrier.init_place, barrier.name,
             "`" + barrier.name + "` is initialised again: it is in use since line " +
                 std::to_string(barrier.init_place.line),
             barrier.name + ".inval() first, or one init");
    }
    const std::string name = barrier.name;
    barrier = Mbarrier();
    barrier.name = name;
    barrier.valid = true;
    barrier.init_worker = actor.index;
    barrier.init_epoch = actor.known.epoch_of(actor.index);
    barrier.init_place = place;
    barrier.expected = value;
    barrier.pending = value;
    return {};
  }
  if (!check_barrier(actor, barrier, place)) {
    return bad("`" + barrier.name + "` is not initialised");
  }
  if (op == Op::kBarrierInval) {
    barrier.valid = false;
  } else if (op == Op::kBarrierWait) {
    wait(actor, barrier, value, place);
  } else {
    if (op != Op::kBarrierArrive) {
      trace_.note(actor.index, EventKind::kExpect, barrier.name, place);
      barrier.tx += value;
      barrier.expects = {place, barrier.expects.bytes + value};
    }
    if (op == Op::kBarrierExpect) {
      finish_phase(actor, barrier);
    } else {
      arrive(actor, barrier, op == Op::kBarrierArrive ? value : 1, place);
    }
  }
  return {};
}

// An arrival that nothing orders after those of the phase before might complete that one, and then
// it is missing in its own. Arrivals that a worker makes in a row count as one: threads of a warp
// make them at the same time.
void Machine::note_arrival(Actor& actor, Arrivals& arrivals, std::int64_t threads,
                           const std::string& object, bool waits, SourcePlace place) {
  trace_.note(actor.index, EventKind::kArrive, object, place);
  const auto early = std::ranges::find_if(arrivals.before, [&](const Arrivals::One& one) {
    return one.worker != actor.index && !actor.known.knows(one.worker, one.epoch);
  });
  if (early != arrivals.before.end() && early->threads != threads) {
    report(FindingKind::kNamedBarrier, actor, place, early->place, object,
           differing_threads(object, threads, *early),
           "name the same number of threads everywhere");
  } else if (early != arrivals.before.end()) {
    const std::string name = threads == 0 ? "`" + object + "`" : object;
    const std::string& other = workers_.at(early->worker).name;
    report(FindingKind::kEarlyArrival, actor, place, early->place, object,
           actor.name + " comes to " + name + ", and nothing orders this after " + other +
               " came there in the phase before, at line " + std::to_string(early->place.line) +
               ": it may count for that phase",
           (threads == 0 ? "let init() count every arrival of a phase, or " : "") +
               std::string("wait for the end of that phase first, or for a barrier that ") + other +
               " comes to after it");
  }
  actor.arrives_since = actor.arrives_since.value_or(actor.known.epoch_of(actor.index));
  arrivals.here.push_back({actor.index, *actor.arrives_since, threads, place});
  arrivals.ever.insert(actor.index);
  workers_.at(actor.index).arrived[{place.line, threads == 0 ? "`" + object + "`" : object}] = {
      count_, actor.known.epoch_of(actor.index), waits};
}

void Machine::arrive(Actor& actor, Mbarrier& barrier, std::int64_t count, SourcePlace place) {
  note_arrival(actor, barrier.arrivals, 0, barrier.name, false, place);
  note_remote(actor, rank_of(barrier), barrier.name, place);
  count_arrival(actor, barrier, count, place);
}

void Machine::count_arrival(Actor& actor, Mbarrier& barrier, std::int64_t count,
                            SourcePlace place) {
  if (count > barrier.pending) {
    report(FindingKind::kOverArrival, actor, place, barrier.last_arrive, barrier.name,
           "`" + barrier.name + "` gets " + std::to_string(count) + " more arrivals in phase " +
               std::to_string(barrier.phase) + ", and " + std::to_string(barrier.pending) + " of " +
               std::to_string(barrier.expected) + " are missing",
           barrier.tx != 0 ? "wait for the end of that phase first: " + barrier.missing()
                           : "init(" + std::to_string(barrier.expected - barrier.pending + count) +
                                 "), or one arrival less");
  }
  barrier.pending = std::max<std::int64_t>(barrier.pending - count, 0);
  barrier.last_arrive = place;
  barrier.arriving.join(actor.known);
  actor.known.advance(actor.index);
  finish_phase(actor, barrier);
}

// A phase that ends while a copy for it is in the air ended on the bytes of others.
void Machine::finish_phase(const Actor& actor, Mbarrier& barrier) {
  const std::int64_t phase = barrier.phase;
  const TxNote expects = barrier.expects;
  const TxNote copies = barrier.copies;
  if (!barrier.try_complete()) {
    return;
  }
  for (const auto& [id, op] : pending_) {
    if (op.barrier == &barrier && op.phase == phase && op.engine == Engine::kTma) {
      report(FindingKind::kWrongExpectTx, actor, expects.place.line > 0 ? expects.place : op.place,
             op.place, barrier.name,
             "phase " + std::to_string(phase) + " of `" + barrier.name +
                 "` is complete while the copy at line " + std::to_string(op.place.line) +
                 " is in flight: " + std::to_string(expects.bytes) + " bytes were expected and " +
                 std::to_string(copies.bytes) + " are copied",
             "expect " + std::to_string(copies.bytes) + " bytes");
      return;
    }
  }
}

void Machine::wait(Actor& actor, Mbarrier& barrier, std::int64_t parity, SourcePlace place) {
  actor.arrives_since.reset();
  trace_.note(actor.index, EventKind::kWait, barrier.name, place);
  Wait wait;
  wait.place = place;
  wait.barrier = &barrier;
  wait.came = &barrier.arrivals.ever;
  wait.ready = [&barrier, parity] { return (barrier.phase & 1) != (parity & 1); };
  wait.passed = [this, &actor, &barrier, place] { pass(actor, barrier, place); };
  wait.reason = [&barrier] {
    return "`" + barrier.name + "`, phase " + std::to_string(barrier.phase) + ": " +
           barrier.missing();
  };
  actor.wait = std::move(wait);
}

void Machine::pass(Actor& actor, Mbarrier& barrier, SourcePlace place) {
  const std::int64_t phase = barrier.phase - 1;
  trace_.note(actor.index, EventKind::kPass, barrier.name, place);
  const auto [entry, first] = actor.seen.try_emplace(&barrier, phase, place);
  const std::int64_t wanted = first ? (phase < 0 ? -1 : 0) : entry->second.first + 1;
  // Another worker that this one was ordered behind may have waited in its place.
  const bool skipped = phase > wanted && barrier.last_known(actor.known) == phase - 1;
  if (phase != wanted && !skipped) {
    const SourcePlace before = first ? barrier.init_place : entry->second.second;
    report(FindingKind::kPhaseError, actor, place, before, barrier.name,
           actor.name + " waits for phase " + std::to_string(wanted) + " of `" + barrier.name +
               "`, and this parity lets it pass on phase " + std::to_string(phase) +
               (phase < wanted ? ", which it has seen" : ": one was missed"),
           phase < wanted ? "turn the parity around whenever the barrier comes round again"
                          : "wait for every phase, before the next can be complete",
           phase > wanted);
  }
  entry->second = {phase, place};
  barrier.passed[actor.index].emplace_back(actor.known.epoch_of(actor.index), phase);
  if (phase >= 0) {
    actor.known.join(barrier.published);
    actor.agreed.join(barrier.published);
  }
}

// cta_sync is bar.sync 0: a program that uses both waits for the arrivals of either.
void Machine::check_zero(Actor& actor, const NamedBarrier& barrier, const std::string& name,
                         SourcePlace place) {
  const NamedBarrier& zero = units_[actor.rank].named.front();
  const NamedBarrier& whole = units_[actor.rank].named.back();
  const NamedBarrier* const other = &barrier == &zero    ? &whole
                                    : &barrier == &whole ? &zero
                                                         : nullptr;
  if (other != nullptr && other->first_place.line > 0) {
    report(FindingKind::kNamedBarrier, actor, place, other->first_place, name,
           "cta_sync() and named barrier 0 are the same barrier, and both are used",
           "use named barriers 1 to 15 beside cta_sync()");
  }
}

void Machine::named_barrier(Actor& actor, NamedBarrier& barrier, std::int64_t weight,
                            std::int64_t threads, bool waits, const std::string& name,
                            SourcePlace place) {
  check_zero(actor, barrier, name, place);
  const bool twice = std::ranges::any_of(
      barrier.arrivals.here, [&](const Arrivals::One& one) { return one.worker == actor.index; });
  const bool differs = barrier.threads != 0 && barrier.threads != threads;
  if (twice || differs || barrier.arrived + weight > threads) {
    report(FindingKind::kNamedBarrier, actor, place, barrier.first_place, name,
           differs ? differing_threads(name, threads, barrier.arrivals.here.front())
           : twice ? actor.name + " comes to " + name + " twice before it is complete"
                   : std::to_string(barrier.arrived + weight) + " threads come to " + name +
                         ", which is for " + std::to_string(threads),
           differs ? "name the same number of threads everywhere"
           : twice ? "use another barrier id for the second"
                   : "count the threads of all workers that come");
  }
  if (barrier.arrived == 0) {
    barrier.threads = threads;
    barrier.first_place = place;
  }
  barrier.arrived += weight;
  note_arrival(actor, barrier.arrivals, threads, name, waits, place);
  barrier.arriving.join(actor.known);
  if (waits) {
    actor.agreed = actor.known;
    actor.arrives_since.reset();
  }
  actor.known.advance(actor.index);
  const std::int64_t generation = barrier.generation;
  barrier.try_complete();
  if (waits) {
    trace_.note(actor.index, EventKind::kWait, name, place);
    Wait wait;
    wait.place = place;
    wait.came = &barrier.arrivals.ever;
    wait.ready = [&barrier, generation] { return barrier.generation > generation; };
    wait.passed = [this, &actor, &barrier, generation, name, place] {
      trace_.note(actor.index, EventKind::kPass, name, place);
      actor.known.join(barrier.published[generation]);
    };
    wait.reason = [&barrier, name] {
      return name + ": " + std::to_string(barrier.arrived) + " of " +
             std::to_string(barrier.threads) + " came";
    };
    actor.wait = std::move(wait);
  }
}

}  // namespace ws::ir
