// Blocks of one cluster: what they see of each other.
#include <algorithm>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/machine.h"

namespace ws::ir {
namespace {

constexpr const char* kClusterBarrier = "the cluster's barrier";

bool holds(const std::vector<Mbarrier>& row, const Mbarrier& barrier) {
  return !row.empty() && &barrier >= row.data() && &barrier < row.data() + row.size();
}

Status check_rank(std::int64_t rank, std::size_t blocks) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= blocks) {
    return bad(
        "there is no block " + std::to_string(rank) + " in a cluster of " + std::to_string(blocks),
        blocks == 1 ? "self.clusterDim = (2, 1, 1) in __init__ makes clusters of two"
                    : "the ranks are 0 to " + std::to_string(blocks - 1));
  }
  return {};
}

tl::unexpected<Error> nothing_there(std::int64_t rank) {
  return bad("block " + std::to_string(rank) + " of the cluster has nothing in this place",
             "allocate the same in every block, and use it in roles: in __init__ the other blocks "
             "are not there yet");
}

}  // namespace

void Machine::add_actor(Actor& actor, bool runs) {
  actor.index = workers_.size();
  if (units_.size() > 1) {
    actor.name += " of block " + std::to_string(units_[actor.rank].block);
  }
  workers_.push_back({actor.name, actor.rank, {}});
  units_[actor.rank].workers += runs ? 1 : 0;
  actor.known.advance(actor.index);
}

Actor Machine::issuer(std::size_t worker) const {
  Actor actor;
  actor.name = workers_.at(worker).name;
  actor.rank = workers_.at(worker).rank;
  return actor;
}

std::optional<std::size_t> Machine::rank_of(const Mbarrier& barrier) const {
  if (units_.size() == 1) {
    return 0;
  }
  for (std::size_t rank = 0; rank < units_.size(); ++rank) {
    if (std::ranges::any_of(units_[rank].barriers,
                            [&](const auto& row) { return holds(*row, barrier); })) {
      return rank;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Machine::rank_of(const Buffer& buffer) const {
  if (units_.size() == 1) {
    return 0;
  }
  for (std::size_t rank = 0; rank < units_.size(); ++rank) {
    if (std::ranges::any_of(units_[rank].shared,
                            [&](const auto& other) { return other.get() == &buffer; })) {
      return rank;
    }
  }
  return std::nullopt;
}

Result<Mbarrier*> Machine::at_block(const Mbarrier& barrier, std::int64_t rank) const {
  WS_CHECK(check_rank(rank, units_.size()));
  const auto& own = units_[rank_of(barrier).value_or(0)].barriers;
  const auto& other = units_[static_cast<std::size_t>(rank)].barriers;
  const auto row =
      std::ranges::find_if(own, [&](const auto& each) { return holds(*each, barrier); });
  const auto at = static_cast<std::size_t>(row - own.begin());
  if (at >= other.size() || other[at]->size() != (*row)->size()) {
    return nothing_there(rank);
  }
  return &other[at]->at(static_cast<std::size_t>(&barrier - (*row)->data()));
}

Result<View> Machine::at_block(const View& view, std::int64_t rank) const {
  WS_CHECK(check_rank(rank, units_.size()));
  const auto& own = units_[rank_of(*view.buffer).value_or(0)].shared;
  const auto& other = units_[static_cast<std::size_t>(rank)].shared;
  const auto at = static_cast<std::size_t>(std::ranges::find(own, view.buffer) - own.begin());
  if (at >= other.size() || other[at]->shape != view.buffer->shape ||
      other[at]->dtype != view.buffer->dtype) {
    return nothing_there(rank);
  }
  View there = view;
  there.buffer = other[at];
  return there;
}

Status Machine::copy_to_blocks(Actor& actor, const View& target, const View& source,
                               const Mbarrier& barrier, std::uint64_t mask,
                               const std::string& swizzle, SourcePlace place) {
  for (std::int64_t rank = 0; mask >> static_cast<unsigned>(rank) != 0; ++rank) {
    if ((mask >> static_cast<unsigned>(rank) & 1U) != 0) {
      WS_TRY(const View there, at_block(target, rank));
      WS_TRY(Mbarrier* const completes, at_block(barrier, rank));
      copy_async(actor, there, source, completes, Engine::kTma, swizzle, false, place);
    }
  }
  return {};
}

void Machine::cluster_arrive(Actor& actor, SourcePlace place) {
  std::int64_t workers = 0;
  for (const Units& units : units_) {
    workers += static_cast<std::int64_t>(units.workers);
  }
  actor.cluster_arrived = cluster_.generation;
  named_barrier(actor, cluster_, 1, workers, false, kClusterBarrier, place);
}

Status Machine::cluster_wait(Actor& actor, SourcePlace place) {
  if (!actor.cluster_arrived) {
    return bad("a wait for the cluster's barrier without an arrival",
               "cluster_arrive() first, or cluster_sync()");
  }
  const std::int64_t generation = *actor.cluster_arrived;
  actor.cluster_arrived.reset();
  actor.arrives_since.reset();
  trace_.note(actor.index, EventKind::kWait, kClusterBarrier, place);
  Wait wait;
  wait.place = place;
  wait.came = &cluster_.arrivals.ever;
  wait.ready = [this, generation] { return cluster_.generation > generation; };
  wait.passed = [this, &actor, generation, place] {
    trace_.note(actor.index, EventKind::kPass, kClusterBarrier, place);
    actor.known.join(cluster_.published[generation]);
    actor.agreed = actor.known;
  };
  wait.reason = [this] {
    return "the cluster's barrier: " + std::to_string(cluster_.arrived) + " of " +
           std::to_string(cluster_.threads) + " workers came";
  };
  actor.wait = std::move(wait);
  return {};
}

void Machine::note_remote(const Actor& actor, std::optional<std::size_t> rank,
                          const std::string& object, SourcePlace place) {
  if (rank && *rank != actor.rank) {
    remote_[{*rank, actor.index, place.line, place.column}] = {*rank, actor.index, place, object,
                                                               actor.known.epoch_of(actor.index)};
  }
}

// The memory of a block is gone when it has ended: one of its workers must know of every use from
// outside.
void Machine::check_remote(const std::vector<Actor*>& actors) {
  for (const auto& [at, note] : remote_) {
    const bool known = std::ranges::any_of(actors, [&](const Actor* actor) {
      return actor->rank == note.rank && actor->known.knows(note.worker, note.awaited);
    });
    if (!known) {
      report(FindingKind::kBlockEnded, issuer(note.worker), note.place, {}, note.object,
             workers_.at(note.worker).name + " uses `" + note.object + "` of block " +
                 std::to_string(units_[note.rank].block) +
                 ", which may have ended: none of its workers waits for this",
             "cluster_sync() at the end of the kernel, or a wait there for the last use");
    }
  }
}

}  // namespace ws::ir
