// The hardware of one block: memory, engines and barriers, used by workers. Every use is checked
// against what its worker knows to have happened before; engines act when the schedule says so.
//
// An asynchronous operation has two ids: `id` for being complete, `id + 1` for having read its
// source. A worker that knows an id may use what the operation used.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/exec/actor.h"
#include "runtime/ir/exec/grid.h"
#include "runtime/ir/exec/sync.h"
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

/// An operation that was started, for the end of the kernel.
struct OpNote {
  std::uint32_t awaited = 0;  ///< The id that someone must know.
  std::size_t worker = 0;
  SourcePlace place;
  std::string object;
};

class Machine {
 public:
  Machine(Grid& grid, std::int64_t block)
      : grid_(grid),
        block_(block) {}

  /// A worker of this block: its number is actor.index from now on.
  void add_actor(Actor& actor) {
    actor.index = names_.size();
    names_.push_back(actor.name);
    actor.known.advance(actor.index);
  }

  /// Workers that share the rows of a block: the last ones may have none, and store nothing.
  [[nodiscard]] bool several_workers() const {
    return names_.size() > 2;  // The first one runs __init__ and run.
  }

  // machine_memory.cpp: plain accesses.
  std::shared_ptr<Buffer> make_buffer(Actor& actor, const std::string& name, Space space,
                                      DType dtype, const Shape& shape, const std::string& swizzle,
                                      SourcePlace place);
  /// setmaxnreg: what all workers asked for has to fit the block's registers, else one waits for
  /// ever.
  void set_max_registers(Actor& actor, std::int64_t count, SourcePlace place);
  Value read(Actor& actor, const View& view, SourcePlace place);
  void write(Actor& actor, const View& view, std::vector<double> elements, SourcePlace place,
             Atomic atomic = Atomic::kNone);
  /// The part of a tensor that a tile index names.
  /// @param may_be_outside  False: wholly outside is a finding.
  View tile_view(Actor& actor, const View& tensor, const std::vector<std::int64_t>& index,
                 const Shape& shape, SourcePlace place, bool may_be_outside = false);
  Value load(Actor& actor, const View& view, double beyond, SourcePlace place);
  void check_edge(Actor& actor, const View& view, SourcePlace place);

  // machine_async.cpp: engines.
  void copy_async(Actor& actor, const View& target, const View& source, Mbarrier* barrier,
                  Engine engine, const std::string& swizzle, bool padded, SourcePlace place);
  View product_async(Actor& actor, const Value& a, const View& b, const View* acc, DType dtype,
                     const std::string& swizzle, SourcePlace place);
  void commit_group(Actor& actor, const std::string& kind);
  void wait_group(Actor& actor, std::int64_t n, const std::string& kind, bool read);

  [[nodiscard]] std::size_t pending() const { return pending_.size(); }

  /// Lets the `which`-th pending operation happen (and products before it).
  void complete_one(std::size_t which);

  // machine_sync.cpp: barriers.
  std::vector<Mbarrier>& make_barriers(std::int64_t count);
  /// @errors kInvalidArgument: the barrier is not there: nothing can go on.
  Status barrier_op(Actor& actor, Op op, Mbarrier& barrier, std::int64_t value, SourcePlace place);
  void named_barrier(Actor& actor, NamedBarrier& barrier, std::int64_t weight, std::int64_t threads,
                     bool waits, const std::string& name, SourcePlace place);

  NamedBarrier& named(std::int64_t id) { return named_.at(static_cast<std::size_t>(id)); }

  NamedBarrier& whole_block() { return named_.back(); }

  // machine_end.cpp: when nothing runs any more.
  void report_deadlock(const std::vector<Actor*>& actors);
  void check_end(const std::vector<Actor*>& actors);

  void report(FindingKind kind, const Actor& actor, SourcePlace place, SourcePlace other,
              const std::string& object, const std::string& message, const std::string& fix);

  std::uint64_t tick() { return ++count_; }

  [[nodiscard]] Grid& grid() { return grid_; }

  [[nodiscard]] std::int64_t block() const { return block_; }

  /// A place where a value was left undetermined, for the report of its use.
  SourcePlace undetermined_at;

 private:
  Access access_of(Actor& actor, const View& view, bool write, SourcePlace place) const;
  void note(Actor& actor, const View& view, Access access);
  bool report_wrong_bytes(const Actor& actor);
  void check_past(const Actor& actor, const View& view, const Access& access);
  void report_conflict(Actor& actor, const View& view, const Access& access,
                       const Conflict& conflict);
  bool check_written(Actor& actor, const View& view, SourcePlace place);
  void check_determined(const Actor& actor, const View& view, const std::vector<double>& elements,
                        SourcePlace place);
  void check_writable(const Actor& actor, const View& view, SourcePlace place);
  void start(Actor& actor, AsyncOp op);
  void note_async(Actor& actor, const View& view, bool write, Engine engine, std::uint32_t id,
                  const std::string& swizzle, SourcePlace place);
  void check_major(Actor& actor, const View& view, bool right, SourcePlace place);
  void check_wgmma_fence(Actor& actor, const View& view, SourcePlace place);
  void complete(std::uint32_t id);
  void act(const AsyncOp& op);
  void act_product(const AsyncOp& op);
  void arrive(Actor& actor, Mbarrier& barrier, std::int64_t count, SourcePlace place);
  void wait(Actor& actor, Mbarrier& barrier, std::int64_t parity, SourcePlace place);
  void pass(Actor& actor, Mbarrier& barrier, SourcePlace place);
  void check_zero(Actor& actor, const NamedBarrier& barrier, const std::string& name,
                  SourcePlace place);
  bool check_barrier(Actor& actor, const Mbarrier& barrier, SourcePlace place);
  void finish_phase(const Actor& actor, Mbarrier& barrier);

  Grid& grid_;
  std::int64_t block_;
  std::uint64_t count_ = 0;
  std::uint32_t next_op_ = 0;
  std::map<std::size_t, std::int64_t> registers_;  // By worker: what setmaxnreg asked for.
  std::map<std::uint32_t, AsyncOp> pending_;
  std::vector<OpNote> started_;
  std::vector<std::unique_ptr<std::vector<Mbarrier>>> barriers_;
  std::array<NamedBarrier, 17> named_;            // The last is cta_sync's.
  std::vector<std::shared_ptr<Buffer>> tensors_;  // Used by this block.
  std::vector<std::string> names_;                // The names of actors, by index.
};

}  // namespace ws::ir
