// The events that a symbolic run of a block reports, in the order of the program. The run happens
// twice: first to learn where in a tile each thread's results lie (layouts.h), then to write CuIR
// (writer.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lift/symbolic/objects.h"

namespace ws::lift {

/// Elements that threads write, all at one place in the program.
struct StoreEvent {
  Poly offset;  ///< In elements.
  TermId value = kNone;
  Lanes active = {1};  ///< The threads that write.
  std::vector<TermId> masks;
  Range range;
};

/// Stores between two barriers that write one object in the same way.
struct StoreGroup {
  ObjectId object = kNone;
  std::string atomic;  ///< "atomic_add", "atomic_max"; empty: a plain store.
  std::vector<StoreEvent> events;
};

/// A loop over a symbol.
struct LoopEvent {
  std::string variable;  ///< In CuIR.
  Poly total;            ///< The number of rounds that are left at the start ...
  Poly step;             ///< ... and how much of it a round does: the loop runs cdiv(total, step).
  Range range;
};

/// A variable of the block's threads that a loop changes: one slot for each element of an array.
struct Update {
  ObjectId object = kNone;
  std::vector<TermId>
      before;  ///< The contents of the slots before: kNone, kCarried, or as at a loop's start.
  std::vector<TermId> now;  ///< The contents of the slots now; kNone: nothing that is known.
  int version = 0;          ///< The version of the kCarried terms that stand for it from here on.
};

class Sink {
 public:
  virtual ~Sink() = default;

  virtual Status store(const StoreGroup& group) = 0;
  /// Shared memory that is filled with a tile of global memory.
  /// @return  Where in that tile each element of the shared object lies: by its offset, in
  ///          elements; nothing when it is no tile.
  virtual Result<std::optional<Logical>> stage(const StoreGroup& group) = 0;
  virtual Status sync(const Range& range) = 0;
  /// The block ends where a condition holds that is the same for all its threads.
  virtual Status leave(TermId condition, const Range& range) = 0;
  /// Variables get their first values, then the loop starts.
  virtual Status begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) = 0;
  virtual Status update(const std::vector<Update>& updates, const Range& range) = 0;
  virtual Status end_loop() = 0;
};

}  // namespace ws::lift
