// Reads and writes of all kinds of memory.
#pragma once

#include <set>

#include "runtime/lift/symbolic/pending_stores.h"
#include "runtime/lift/symbolic/shared_memory.h"
#include "runtime/lift/symbolic/staging.h"
#include "runtime/lift/symbolic/steps.h"
#include "runtime/lift/symbolic/variables.h"

namespace ws::lift {

/// The active threads' accesses. Offsets are in bytes where the size of the access is given, else
/// in elements. For one thread.
class Memory {
 public:
  /// All of them outlive this.
  Memory(const Basis& basis, ObjectTable& objects, Steps& steps, const Guards& guards,
         Control& control, Reports& reports, RoundReads& reads);

  Variables& variables() { return variables_; }

  /// Where threads meet at barriers.
  SharedMemory& shared() { return shared_; }

  /// A value of any type. @errors kUnsupported: a part of it is not known, or may not be read.
  Result<Value> load(const ValuePlace& place);
  /// A scalar as it lies in memory.
  Result<Leaf> load_element(ObjectId id, const Poly& offset, std::int64_t bytes);
  /// An element of an array.
  Result<Leaf> load_shared(ObjectId id, const Poly& offset);
  /// An element of an array of the program, which warps read in a part of the kernel.
  /// @errors kUnsupported: the part has written the array.
  Result<TermId> load_tile(ObjectId id, const Poly& offset);

  /// @errors kUnsupported: a part has another form, is not known, or may not be written.
  Status store(const ValuePlace& place, const Value& value, const Range& range);
  Status store_element(ObjectId id, const Poly& offset, std::int64_t bytes, const Leaf& leaf,
                       const Range& range);
  Status store_shared(ObjectId id, const Poly& offset, TermId value, const Range& range);
  /// A store that is reported at the next barrier. @param atomic  StoreGroup::atomic
  void store_later(ObjectId id, const Poly& offset, TermId value, const Range& range,
                   const std::string& atomic);

  /// Reports the stores since the last barrier. @errors as Sink::store() and Sink::stage()
  Status flush();

  /// Forgets these stores.
  void drop_stores() { pending_.clear(); }

  /// Forgets what a round wrote to an array: it is another value in each round.
  /// @param all  Buffers of the program too; else these stay, as they hold what was copied last.
  void forget_changed(const Object& before, Object& now, bool all) const;

  /// A loop over a symbol is entered ...
  void enter_loop() { ++loops_; }

  /// ... or left.
  void leave_loop() { --loops_; }

  /// After a loop: a tensor that it reads and writes. @errors kUnsupported: not every round keeps
  /// to its own elements.
  Status check_rounds_apart();

  /// An offset in elements. @errors kUnsupported: elements have another size, or it is between two.
  static Result<Poly> element_offset(const Object& memory, const Poly& bytes, std::int64_t size);

 private:
  [[nodiscard]] Variables::Slice slice_at(const ValuePlace& place) const;
  Result<Leaf> load_scalar(const ValuePlace& place);
  Result<Leaf> load_bits(const ValuePlace& place, std::int64_t bytes);
  Result<Leaf> load_tensor(ObjectId id, Poly offset);
  Status store_scalar(const ValuePlace& place, const Leaf& leaf, const Range& range);
  Status store_tile(ObjectId id, const Poly& offset, TermId value, const Range& range);

  const Tree& tree_;
  const RunMode& mode_;
  Terms& terms_;
  Scalars& scalars_;
  ObjectTable& objects_;
  Steps& steps_;
  const Guards& guards_;
  Reports& reports_;
  Variables variables_;
  SharedMemory shared_;
  PendingStores pending_;
  Staging staging_;
  std::set<ObjectId> tiles_read_;  // By load_tile().
  int loops_ = 0;
};

}  // namespace ws::lift
