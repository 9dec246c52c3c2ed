// Stores since the last barrier.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/lift/symbolic/guards.h"
#include "runtime/lift/symbolic/sink.h"

namespace ws::lift {

/// They come one by one, and are taken by the objects that they write. For one thread.
class PendingStores {
 public:
  /// All of them outlive this.
  PendingStores(Terms& terms, Arithmetic& numbers, const Guards& guards)
      : terms_(terms),
        numbers_(numbers),
        guards_(guards) {}

  /// A store by the active threads. @param atomic  StoreGroup::atomic
  void add(ObjectId object, const Poly& offset, TermId value, const Range& range,
           const std::string& atomic);

  /// A store to the elements that the same threads have written since the last barrier, under
  /// another condition: `if (c) s[i] = x; else s[i] = y;`, or `s[i] = y; if (c) s[i] = x;`. The two
  /// become one store of a choice.
  /// @return  The choice; nothing: it is another kind of store, and has to be added.
  std::optional<TermId> join(ObjectId object, const Poly& offset, TermId value);

  /// All of them, those to one object together, and none is left.
  std::vector<StoreGroup> take();

  /// Whether there are any to an object.
  [[nodiscard]] bool has(ObjectId object) const;

  void clear() { stores_.clear(); }

 private:
  TermId conjunction(std::span<const TermId> conditions);

  Terms& terms_;
  Arithmetic& numbers_;
  const Guards& guards_;
  std::vector<StoreGroup> stores_;  // Each has one event.
};

}  // namespace ws::lift
