// Integers and places in memory of a kernel, as its skeleton's program has them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/orchestration/kernel_facts.h"
#include "runtime/lift/orchestration/local_names.h"
#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/orchestration/program_draft.h"
#include "runtime/lift/orchestration/shared_buffers.h"
#include "runtime/lift/symbolic/threads.h"

namespace ws::lift {

/// An operator of C as CuIR writes it: "//" for `/`, "not " for `!`.
std::string python_operator(COperator op);

/// Follows the walk through the kernel: the functions that are entered, and where pointers point.
/// One thread at a time; what it is given outlives it.
class KernelTexts {
 public:
  KernelTexts(const Tree& tree, const LaunchInput& input, Symbols& symbols,
              const KernelFacts& facts, const ThreadValues& values, const SharedBuffers& buffers,
              const ProgramDraft& draft);

  /// The kernel's parameters get the names of the launch's arguments.
  void begin_walk();

  /// An integer, or a place in memory; empty: it depends on the thread, or has no form in CuIR.
  [[nodiscard]] std::string of(NodeId id) const;

  /// The value for each thread, where all of it is known: a conjunction of which one side is known
  /// does not count.
  [[nodiscard]] std::optional<Lanes> exact(NodeId id) const;

  /// The name of a variable, or what it stands for.
  [[nodiscard]] std::string variable(VariableId id) const;

  /// A field of what is laid over shared memory, or of a kernel's own object, which is a variable.
  [[nodiscard]] std::string member(const Node& node) const;

  /// The first word of an operand of inline assembly; empty: there is no such operand, or it has no
  /// form.
  [[nodiscard]] std::string operand(const Instruction& parts, std::size_t at,
                                    const Node& node) const;

  /// `%3`, or a number.
  [[nodiscard]] std::string word(const std::string& word, const Node& node) const;

  /// Whether the value of an expression may come from memory.
  [[nodiscard]] bool is_data(NodeId id) const { return facts_.from_memory().is_data(id); }

  /// Whether a reference to an expression stands for a variable or memory, not for a value.
  [[nodiscard]] bool is_place(NodeId id) const;

  /// Whether a conversion is taken to keep a number as it is.
  [[nodiscard]] bool keeps_bits(const Node& cast) const;

  /// Whether nothing in an expression changes while the kernel runs.
  [[nodiscard]] bool is_unchanged(NodeId id) const;

  /// A pointer in an object: `order_tiles` is "self.tiles" from here on; an empty place: nothing.
  void set_field(const std::string& name, const std::string& place) { fields_[name] = place; }

  /// Where such a pointer points; empty: that is not known.
  [[nodiscard]] std::string field(const std::string& name) const;

  // Functions that are entered.

  /// @param names  Of the parameters, and of what else has another name there.
  void enter(std::map<VariableId, std::string> names) { names_.push_back(std::move(names)); }

  void leave() { names_.pop_back(); }

  /// How many functions are entered, the kernel itself included.
  [[nodiscard]] std::size_t depth() const { return names_.size(); }

  /// The last argument that a parameter was given; kNone: none.
  void set_argument(VariableId param, NodeId argument) { arguments_[param] = argument; }

  [[nodiscard]] NodeId argument(VariableId param) const;

  /// Another name begins to stand for what a value is the place of.
  void note_alias(VariableId id, NodeId value);

  /// These variables change: names that were made of them have no text from here on.
  void note_changes(const std::set<VariableId>& changed);

  /// Calls in a statement are made anew.
  void forget_results(NodeId id);

  /// A function is entered again: its pointers are where its arguments are.
  void forget_pointers(const Function& callee);

  /// The text of a call from here on.
  void set_result(NodeId call, const std::string& text) { results_[call] = text; }

  // Pointers that move.

  using Places = std::map<VariableId, std::string>;

  /// Where they point; they go back to that where another side of a branch begins.
  [[nodiscard]] const Places& pointers() const { return pointers_; }

  void set_pointers(const Places& places) { pointers_ = places; }

  /// Where all names of places stand; each role begins with what is known before them.
  struct State {
    Places pointers;
    std::map<VariableId, std::set<VariableId>> made_of;
    std::set<VariableId> stale;
    std::map<std::string, std::string> fields;
  };

  [[nodiscard]] State state() const { return {pointers_, made_of_, stale_, fields_}; }

  void set_state(State state);

  /// `p = s + n`, `p += n`: where a pointer points from here on. False: another statement.
  bool move_pointer(const Node& node);

  /// After a statement that was not followed, or not by all.
  void forget_moves(NodeId id);

  /// The pointers that a loop changes.
  struct Rounds {
    Places behind;  ///< Where pointers point after it.
  };

  /// Pointers that each round of a loop moves on by the same number are written by the loop's
  /// variable. @return  For leave_rounds().
  Rounds enter_rounds(const Node& loop);
  void leave_rounds(const Rounds& rounds);

 private:
  /// The program's expression for a parameter of the kernel; empty for memory that the program does
  /// not have.
  [[nodiscard]] std::string argument_text(const Argument& argument, VariableId param) const;
  [[nodiscard]] std::string converted(const Node& cast) const;
  [[nodiscard]] std::string plain(NodeId id) const;
  [[nodiscard]] std::string named(NodeId id) const;
  [[nodiscard]] std::string binary(const Node& node) const;
  [[nodiscard]] std::string rounded(COperator op, const std::string& left,
                                    const std::string& right) const;
  [[nodiscard]] std::string call(NodeId id) const;
  [[nodiscard]] std::string element(const Node& node, const std::string& text) const;
  [[nodiscard]] std::string place(NodeId id) const;
  [[nodiscard]] bool is_lasting(NodeId id) const;
  [[nodiscard]] bool is_one_object(const Node& member) const;
  [[nodiscard]] const TensorInput* tensor(const std::string& base) const;
  [[nodiscard]] bool is_barrier(const std::string& place) const;
  [[nodiscard]] bool round_text(const Node& node, std::string& round) const;
  void note_moves(NodeId id, bool direct, std::map<VariableId, std::vector<NodeId>>& moves) const;

  const Tree& tree_;
  const LaunchInput& input_;
  Symbols& symbols_;
  const KernelFacts& facts_;
  const ThreadValues& values_;
  const SharedBuffers& buffers_;
  const ProgramDraft& draft_;
  LocalNames local_names_;
  std::vector<std::map<VariableId, std::string>> names_;  // Parameters of what is entered.
  std::map<VariableId, NodeId> arguments_;
  std::map<NodeId, std::string> results_;      // By call that was entered.
  std::map<std::string, std::string> fields_;  // Where pointers in objects point.
  Places pointers_;
  std::map<VariableId, std::set<VariableId>> made_of_;  // By alias.
  std::set<VariableId> stale_;                          // Aliases whose variables have changed.
};

}  // namespace ws::lift
