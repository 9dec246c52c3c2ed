// The threads of a block that do what is being run.
#pragma once

#include <vector>

#include "runtime/lift/symbolic/arithmetic.h"

namespace ws::lift {

/// Threads that are known to do it, and conditions that are not known and hold in those that do.
/// For one thread.
class Guards {
 public:
  /// The threads and conditions that branches, loops and calls go back to.
  struct State {
    Lanes active = {1};
    std::size_t conditions = 0;  ///< How many there were.

    friend bool operator==(const State&, const State&) = default;
  };

  /// Both outlive this.
  Guards(const Terms& terms, const Arithmetic& numbers)
      : terms_(terms),
        numbers_(numbers) {}

  /// The threads that are not known to leave it out.
  [[nodiscard]] const Lanes& active() const { return active_; }

  [[nodiscard]] bool is_active(std::size_t lane) const { return lane_of(active_, lane) != 0; }

  /// Whether no branch keeps a thread away, as far as that is known ...
  [[nodiscard]] bool are_all_active() const { return active_ == Lanes{1}; }

  /// ... and whether none does at all. Threads that have returned do not count.
  [[nodiscard]] bool is_everyone() const { return are_all_active() && conditions_.empty(); }

  [[nodiscard]] bool is_nobody() const { return active_ == Lanes{0}; }

  /// The conditions of the statements around, and of the loops.
  [[nodiscard]] const std::vector<TermId>& conditions() const { return conditions_; }

  /// Hold in the threads that have not returned.
  [[nodiscard]] const std::vector<TermId>& exits() const { return exits_; }

  /// Both of these.
  [[nodiscard]] std::vector<TermId> masks() const;

  /// Another condition. Each part of a conjunction is one.
  void mask(TermId condition);
  /// As mask(), but what is known of the condition chooses threads.
  void narrow(TermId condition);
  /// Active threads stay so where `truth` is as wanted.
  void keep(const Lanes& truth, bool wanted = true);

  /// Other active threads. @return  Those before.
  Lanes exchange(Lanes active);

  [[nodiscard]] State state() const { return {active_, conditions_.size()}; }

  /// Back to a state that there was before, but for threads that have returned since.
  void restore(State state);

  /// The same of the conditions alone. @param conditions  How many there were.
  void drop(std::size_t conditions) { conditions_.resize(conditions); }

  /// The threads in which conditions fail that came since there were so many have returned.
  void leave_others(std::size_t conditions);

 private:
  const Terms& terms_;
  const Arithmetic& numbers_;
  std::vector<TermId> conditions_;
  std::vector<TermId> exits_;
  Lanes active_ = {1};
};

/// Whether two terms have the same value in each thread.
bool is_same(Terms& terms, TermId left, TermId right);

/// Whether a term is the same in all threads of each group of so many.
bool is_alike(Terms& terms, TermId term, std::size_t group);

}  // namespace ws::lift
