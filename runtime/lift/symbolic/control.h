// Where control is in a run: the calls and loops that are entered, and what ends a statement.
#pragma once

#include <map>
#include <vector>

#include "runtime/lift/symbolic/guards.h"
#include "runtime/lift/symbolic/objects.h"

namespace ws::lift {

/// How a statement ends: the next one follows, or those up to the end of a round, a loop or a
/// function are left out.
enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn };

/// The functions that are entered, with their variables, and the rounds of loops in them. For one
/// thread.
class Control {
 public:
  /// A function that is entered.
  struct Frame {
    std::map<VariableId, ObjectId> variables;
    Value result;
    Guards::State guards;  ///< Where it was called.
  };

  /// Enters a function; the kernel is the first one.
  void enter(Guards::State guards) { frames_.push_back({{}, {}, std::move(guards)}); }

  /// Leaves the function that was entered last. @return  Its result.
  Value leave();

  [[nodiscard]] std::size_t depth() const { return frames_.size(); }

  [[nodiscard]] bool is_in_kernel() const { return frames_.size() == 1; }

  /// The function that was entered last; the variables below are its own.
  [[nodiscard]] Frame& frame() { return frames_.back(); }

  /// kNone: it has no such variable.
  [[nodiscard]] ObjectId find(VariableId variable) const;

  void bind(VariableId variable, ObjectId object) { frames_.back().variables[variable] = object; }

  /// All functions forget the variables of objects from number `objects` on.
  void forget_from(std::size_t objects);

  /// A round of a loop begins. @param conditions  How many there are around its body.
  void enter_body(std::size_t conditions) { bodies_.push_back({frames_.size(), conditions}); }

  /// The innermost round ends. @return  What enter_body() was given.
  std::size_t leave_body();

  /// Whether a statement with so many conditions around stands in the body of the innermost round,
  /// and in no branch there or function that is called there.
  [[nodiscard]] bool is_in_body(std::size_t conditions) const {
    return !bodies_.empty() && bodies_.back() == Body{frames_.size(), conditions};
  }

  [[nodiscard]] Flow flow() const { return flow_; }

  void go(Flow flow) { flow_ = flow; }

 private:
  struct Body {
    std::size_t frames = 0;
    std::size_t conditions = 0;

    friend bool operator==(const Body&, const Body&) = default;
  };

  std::vector<Frame> frames_;
  std::vector<Body> bodies_;  // The innermost last.
  Flow flow_ = Flow::kNext;
};

}  // namespace ws::lift
