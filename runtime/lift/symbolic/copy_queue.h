// Copies by cp.async: the elements come to be when the thread waits for their group, and nobody may
// touch the place before.
#pragma once

#include <deque>
#include <vector>

#include "runtime/lift/symbolic/copies.h"
#include "runtime/lift/symbolic/memory.h"

namespace ws::lift {

/// The copies that are under way. For one thread.
class CopyQueue {
 public:
  using Groups = std::deque<std::vector<AsyncCopy>>;

  /// All of them outlive this.
  CopyQueue(const Basis& basis, ObjectTable& objects, Memory& memory, Guards& guards,
            const Steps& steps)
      : mode_(basis.mode),
        terms_(basis.terms),
        objects_(objects),
        memory_(memory),
        guards_(guards),
        steps_(steps) {}

  /// Memory that is declared as bytes has elements of the type that is copied to it first.
  void give_type(ObjectId id, DType type);

  /// Reads what is copied, and marks the elements that it will be written to.
  /// @errors kUnsupported: the source may not be read, or the target not be written.
  Status issue(const CopyEvent& event);

  /// Makes a group of the copies since the last one. @errors kUnsupported: not by all threads.
  Status commit();

  /// Writes the oldest groups.
  /// @param newest  So many groups may still be under way; less than 0: it is not known.
  /// @errors kUnsupported: not by all threads, or not known; as Memory::store_shared()
  Status wait(std::int64_t newest);

  /// Where a round of a loop begins or ends. @errors kUnsupported: copies are under way, and rounds
  /// are not run one after the other.
  [[nodiscard]] Status check_landed() const;

  /// Committed, the oldest first.
  [[nodiscard]] const Groups& groups() const { return groups_; }

  void set_groups(Groups groups) { groups_ = std::move(groups); }

  /// Whether a copy was committed that nobody has waited for.
  [[nodiscard]] bool is_busy() const;

 private:
  Status land(const AsyncCopy& copy);

  const RunMode& mode_;
  Terms& terms_;
  ObjectTable& objects_;
  Memory& memory_;
  Guards& guards_;
  const Steps& steps_;
  std::vector<AsyncCopy> issued_;  // Since the last group was committed.
  Groups groups_;
};

}  // namespace ws::lift
