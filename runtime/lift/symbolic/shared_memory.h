// Accesses of shared memory between barriers. One that no barrier orders after those before it is
// refused.
#pragma once

#include <functional>

#include "runtime/lift/symbolic/guards.h"
#include "runtime/lift/symbolic/objects.h"

namespace ws::lift {

/// The accesses by the active threads. Each offset is in elements, and a constant: an index for
/// each thread. For one thread.
class SharedMemory {
 public:
  /// A stretch between two barriers of the block, and one between two of a warp.
  struct Stretch {
    int block = 0;
    int warp = 0;
  };

  /// Both outlive this.
  SharedMemory(Terms& terms, const Guards& guards)
      : terms_(terms),
        guards_(guards) {}

  /// The threads of the block have waited for each other ...
  void meet_block() { ++now_.block; }

  /// ... or those of each warp.
  void meet_warp() { ++now_.warp; }

  [[nodiscard]] Stretch now() const { return now_; }

  /// The values that were written last.
  /// @errors kUnsupported: the offset is no constant, nothing was written there, or no barrier
  ///         orders the read after the write.
  Result<Leaf> load(Object& source, const Poly& offset);

  /// @param replaces  Whether what an element has may be lost, though not all threads may write.
  /// @errors kUnsupported: others may still use the element, or may not lose it.
  Status store(Object& target, const Poly& offset, TermId value,
               const std::function<bool(const Cell&)>& replaces);

  /// Keeps elements for a copy that begins. @errors kUnsupported: others may still use one.
  Status claim(Object& target, const Poly& offset);

  /// The copy has ended; a store follows.
  void land(Object& target, const Poly& offset) const;

  /// Takes accesses in the stretch `then` for accesses in this one, and forgets the others.
  void resume(Cells& cells, Stretch then) const;

  /// @errors kUnsupported: the offset is no constant.
  static Status check_known(const Object& memory, const Poly& offset);

 private:
  [[nodiscard]] Status check_free(const Object& target, const Cell& cell, int lane) const;
  [[nodiscard]] Status check_readable(const Object& source, const Cell* cell, int lane,
                                      std::int64_t at) const;
  void note_read(Cell& cell, int lane) const;

  Terms& terms_;
  const Guards& guards_;
  Stretch now_;
};

}  // namespace ws::lift
