// The hardware of one cluster, which mostly is one block: memory, engines and barriers, used by
// workers. Every use is checked against what its worker knows to have happened before; engines act
// when the schedule says so.
//
// An asynchronous operation has two ids: `id` for being complete, `id + 1` for having read its
// source. A worker that knows an id may use what the operation used.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/exec/actor.h"
#include "runtime/ir/exec/grid.h"
#include "runtime/ir/exec/notes.h"
#include "runtime/ir/exec/sync.h"
#include "runtime/ir/exec/trace.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// A copy or product that was started.
struct AsyncOp {
  Engine engine = Engine::kTma;
  std::size_t worker = 0;
  SourcePlace place;
  std::optional<View> source;  ///< The source of a copy; for a product, `a` when it is a buffer,
  Value a;                     ///< or else a tile,
  std::optional<View> b;       ///< and `b`.
  View target;
  bool accumulates = false;
  Mbarrier* barrier = nullptr;
  std::int64_t phase = 0;  ///< The phase of the barrier when it was started.
  std::int64_t bytes = 0;
  Knowledge at_issue;
};

/// The hardware that each block of a cluster has for itself.
struct Units {
  std::int64_t block = 0;                         ///< Its number in the grid.
  std::size_t workers = 0;                        ///< Without the one that runs __init__.
  std::map<std::size_t, std::int64_t> registers;  ///< By worker: what setmaxnreg asked for.
  std::array<NamedBarrier, 17> named;             ///< The last is cta_sync's.
  std::vector<std::shared_ptr<Buffer>> shared;    ///< In the order of their allocation.
  std::vector<std::unique_ptr<std::vector<Mbarrier>>> barriers;
};

class Machine {
 public:
  /// @param blocks  The numbers of the cluster's blocks in the grid, by rank.
  Machine(Grid& grid, const std::vector<std::int64_t>& blocks)
      : grid_(grid),
        units_(blocks.size()) {
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      units_[rank].block = blocks[rank];
    }
  }

  /// A worker of the block actor.rank: its number is actor.index from now on.
  /// @param runs  False: it is the one that runs __init__.
  void add_actor(Actor& actor, bool runs);

  /// Workers that share the rows of a block: the last ones may have none, and store nothing.
  [[nodiscard]] bool several_workers(const Actor& actor) const {
    return units_[actor.rank].workers > 1;
  }

  // machine_memory.cpp: plain accesses.
  std::shared_ptr<Buffer> make_buffer(Actor& actor, const std::string& name, Space space,
                                      DType dtype, const Shape& shape, const std::string& swizzle,
                                      SourcePlace place);
  /// setmaxnreg: what all workers asked for has to fit the block's registers, else one waits for
  /// ever.
  void set_max_registers(Actor& actor, std::int64_t count, SourcePlace place);
  /// @param gathers  As Access has it.
  Value read(Actor& actor, const View& view, SourcePlace place, bool gathers = false);
  void write(Actor& actor, const View& view, std::vector<double> elements, SourcePlace place,
             Atomic atomic = Atomic::kNone);
  /// The part of a tensor that a tile index names.
  /// @param may_be_outside  False: wholly outside is a finding.
  View tile_view(Actor& actor, const View& tensor, const std::vector<std::int64_t>& index,
                 const Shape& shape, SourcePlace place, bool may_be_outside = false);
  Value load(Actor& actor, const View& view, double beyond, SourcePlace place,
             bool gathers = false);
  void check_edge(Actor& actor, const View& view, SourcePlace place);

  // machine_async.cpp: engines.
  void copy_async(Actor& actor, const View& target, const View& source, Mbarrier* barrier,
                  Engine engine, const std::string& swizzle, bool padded, SourcePlace place);
  /// The same copy by TMA into each block of the cluster whose bit is set in `mask`, and to its
  /// barrier. @errors as at_block().
  Status copy_to_blocks(Actor& actor, const View& target, const View& source,
                        const Mbarrier& barrier, std::uint64_t mask, const std::string& swizzle,
                        SourcePlace place);
  /// @param accumulates  False: what `acc` holds is replaced.
  View product_async(Actor& actor, const Value& a, const View& b, const View* acc, bool accumulates,
                     DType dtype, const std::string& swizzle, SourcePlace place);
  void commit_group(Actor& actor, const std::string& kind);
  void wait_group(Actor& actor, std::int64_t n, const std::string& kind, bool read,
                  SourcePlace place);

  [[nodiscard]] std::size_t pending() const { return pending_.size(); }

  /// Lets the `which`-th pending operation happen (and products before it).
  void complete_one(std::size_t which);

  // machine_sync.cpp: barriers.
  std::vector<Mbarrier>& make_barriers(const Actor& actor, std::int64_t count);
  /// @errors kInvalidArgument: the barrier is not there: nothing can go on.
  Status barrier_op(Actor& actor, Op op, Mbarrier& barrier, std::int64_t value, SourcePlace place);
  void named_barrier(Actor& actor, NamedBarrier& barrier, std::int64_t weight, std::int64_t threads,
                     bool waits, const std::string& name, SourcePlace place);

  NamedBarrier& named(const Actor& actor, std::int64_t id) {
    return units_[actor.rank].named.at(static_cast<std::size_t>(id));
  }

  NamedBarrier& whole_block(const Actor& actor) { return units_[actor.rank].named.back(); }

  // machine_cluster.cpp: other blocks of the cluster.
  /// The barrier, or the part of shared memory, that block `rank` has in this one's place.
  /// @errors kInvalidArgument: there is no such block, or it has nothing there.
  [[nodiscard]] Result<Mbarrier*> at_block(const Mbarrier& barrier, std::int64_t rank) const;
  [[nodiscard]] Result<View> at_block(const View& view, std::int64_t rank) const;
  void cluster_arrive(Actor& actor, SourcePlace place);
  /// @errors kInvalidArgument: the worker has not arrived.
  Status cluster_wait(Actor& actor, SourcePlace place);

  // machine_end.cpp: when nothing runs any more.
  void report_deadlock(const std::vector<Actor*>& actors);
  void check_end(const std::vector<Actor*>& actors);

  void report(FindingKind kind, const Actor& actor, SourcePlace place, SourcePlace other,
              const std::string& object, const std::string& message, const std::string& fix,
              bool may_follow = false);

  std::uint64_t tick() { return ++count_; }

  [[nodiscard]] Grid& grid() { return grid_; }

  /// The number in the grid of the block that an actor works in.
  [[nodiscard]] std::int64_t block_of(const Actor& actor) const { return units_[actor.rank].block; }

  /// A place where a value was left undetermined, for the report of its use.
  SourcePlace undetermined_at;

 private:
  Access access_of(Actor& actor, const View& view, bool write, SourcePlace place) const;
  void note(Actor& actor, const View& view, Access access);
  bool report_wrong_bytes(const Actor& actor);
  void check_past(const Actor& actor, const View& view, const Access& access);
  void report_conflict(Actor& actor, const View& view, const Access& access,
                       const Conflict& conflict);
  // machine_advice.cpp
  /// The wait that an operation lacks when the kernel ends.
  [[nodiscard]] std::string advice_at_end(const Started& op) const;
  /// The change that would have ordered `access` after `earlier`.
  [[nodiscard]] std::string advice(const Actor& actor, const Access& access,
                                   const Access& earlier) const;
  [[nodiscard]] std::string advice_to_wait(const Actor& actor, const Access& access,
                                           const Started& copy) const;
  [[nodiscard]] std::string advice_to_pass_on(const Actor& actor, const Access& access,
                                              const Access& earlier) const;
  /// The wait for an operation's group. @param at  What was committed before that count of accesses
  /// needs no commit_group.
  [[nodiscard]] std::string group_wait(const Started& op, std::uint64_t at) const;
  bool check_written(Actor& actor, const View& view, SourcePlace place);
  void check_determined(const Actor& actor, const View& view, const std::vector<double>& elements,
                        SourcePlace place);
  void check_writable(const Actor& actor, const View& view, SourcePlace place);
  void start(Actor& actor, AsyncOp op);
  void note_async(Actor& actor, const View& view, bool write, Engine engine, std::uint32_t id,
                  const std::string& swizzle, SourcePlace place);
  void check_major(Actor& actor, const View& view, bool right, SourcePlace place);
  // machine_alignment.cpp
  void report_misaligned(const Actor& actor, const View& view, SourcePlace place,
                         const std::string& what, const std::string& fix);
  /// @param swizzle  That of the copy or the product; "": the buffer's own.
  void check_tma_address(const Actor& actor, const View& view, const std::string& swizzle,
                         SourcePlace place);
  void check_cp_async_address(const Actor& actor, const View& view, SourcePlace place);
  void check_copy_addresses(const Actor& actor, const View& target, const View& source,
                            Engine engine, const std::string& swizzle, SourcePlace place);
  void check_operand_address(const Actor& actor, const View& view, const std::string& swizzle,
                             SourcePlace place);
  void check_wgmma_fence(Actor& actor, const View& view, SourcePlace place);
  void complete(std::uint32_t id);
  void act(const AsyncOp& op);
  void act_product(const AsyncOp& op);
  void note_arrival(Actor& actor, Arrivals& arrivals, std::int64_t threads,
                    const std::string& object, bool waits, SourcePlace place);
  void arrive(Actor& actor, Mbarrier& barrier, std::int64_t count, SourcePlace place);
  /// The arrival alone, of a worker or of one of its copies.
  void count_arrival(Actor& actor, Mbarrier& barrier, std::int64_t count, SourcePlace place);
  [[nodiscard]] std::optional<std::size_t> rank_of(const Mbarrier& barrier) const;
  [[nodiscard]] std::optional<std::size_t> rank_of(const Buffer& buffer) const;
  /// The worker of that number, as far as reports need it.
  [[nodiscard]] Actor issuer(std::size_t worker) const;
  /// Remembers a use of another block's shared memory. @param rank  That block.
  void note_remote(const Actor& actor, std::optional<std::size_t> rank, const std::string& object,
                   SourcePlace place);
  void check_remote(const std::vector<Actor*>& actors);
  void check_closed(const Mbarrier& barrier);
  void wait(Actor& actor, Mbarrier& barrier, std::int64_t parity, SourcePlace place);
  void pass(Actor& actor, Mbarrier& barrier, SourcePlace place);
  void check_zero(Actor& actor, const NamedBarrier& barrier, const std::string& name,
                  SourcePlace place);
  bool check_barrier(Actor& actor, const Mbarrier& barrier, SourcePlace place);
  void finish_phase(const Actor& actor, Mbarrier& barrier);

  /// A worker, for reports.
  struct Who {
    std::string name;
    std::size_t rank = 0;
    std::map<std::pair<std::uint32_t, std::string>, Arrived> arrived;  ///< By line and barrier.
  };

  Grid& grid_;
  std::vector<Units> units_;  // By rank.
  Trace trace_;
  std::uint64_t count_ = 0;
  std::uint32_t next_op_ = 0;
  std::map<std::uint32_t, AsyncOp> pending_;
  std::vector<Started> started_;
  /// The last use of each block by each worker at each place: who knows it, knows the others.
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t, std::uint32_t>, EndNote> remote_;
  NamedBarrier cluster_;                          // For all workers of all blocks.
  std::vector<std::shared_ptr<Buffer>> tensors_;  // Used by this cluster.
  std::vector<Who> workers_;                      // By the index of the actor.
};

}  // namespace ws::ir
