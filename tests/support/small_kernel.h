// A kernel as a tree that a test writes by hand, and its run by all threads of a block.
//
//   __global__ void small(const float* in, float* out) { __shared__ float s[64]; ... }
//
// Blocks have as many threads as the test says, a multiple of 32 where warps work together.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// The events that a run reports.
struct Recorded : Sink {
  std::vector<StoreGroup> stores;
  std::vector<LoopEvent> loops;
  int syncs = 0;
  int exits = 0;

  Status store(const StoreGroup& group) override {
    stores.push_back(group);
    return {};
  }

  Result<std::optional<Logical>> stage(const StoreGroup& /*group*/) override {
    return std::optional<Logical>();
  }

  Status sync(const Range& /*range*/) override {
    ++syncs;
    return {};
  }

  Status leave(TermId /*condition*/, const Range& /*range*/) override {
    ++exits;
    return {};
  }

  Status begin_loop(const LoopEvent& loop, const std::vector<Update>& /*initial*/) override {
    loops.push_back(loop);
    return {};
  }

  Status update(const std::vector<Update>& /*updates*/, const Range& /*range*/) override {
    return {};
  }

  Status end_loop() override { return {}; }
};

/// A node that SmallKernel has no word for. @param index  As Node has it.
NodeId add_node(Tree& tree, NodeKind kind, std::int32_t index, std::vector<NodeId> kids,
                TypeId type = kNone, COperator op = COperator::kNone);

/// A local variable, or one that the test changes. @return  Its number.
VariableId add_variable(Tree& tree, const std::string& name, TypeId type,
                        Space space = Space::kLocal, bool reference = false);

/// @return  Its number.
FunctionId add_function(Tree& tree, std::vector<VariableId> params, NodeId body);

class SmallKernel {
 public:
  explicit SmallKernel(std::int64_t threads);

  // Expressions.
  NodeId number(std::int64_t value);
  NodeId thread();
  NodeId block();

  NodeId in() { return variable(in_); }

  NodeId out() { return variable(out_); }

  NodeId shared() { return variable(shared_); }

  /// The address of shared memory, as a number.
  NodeId address();
  NodeId binary(COperator op, NodeId left, NodeId right);
  NodeId element(NodeId pointer, NodeId index);
  NodeId sum(NodeId pointer, NodeId elements);
  NodeId variable(VariableId id);

  // Statements; the kernel has those that add() gets.
  NodeId assign(NodeId target, NodeId value);
  /// cp.async of 16 bytes.
  NodeId copy(NodeId to, NodeId from);
  /// @param operands  The first ones are outputs.
  NodeId assembly(const std::string& text, std::vector<NodeId> operands = {},
                  std::int64_t outputs = 0);
  NodeId barrier();
  NodeId branch(NodeId condition, NodeId then);
  NodeId leave();
  NodeId several(std::vector<NodeId> statements);

  /// `for (int i = 0; i < n; ++i)`, with an argument n. @param body  From the variable i.
  template <typename F>
  NodeId loop(F body) {
    const VariableId i = declared("i", int_);
    return loop_of(i, body(i));
  }

  void add(NodeId statement) { body_.push_back(statement); }

  /// For functions and variables of a test's own.
  Tree& tree() { return tree_; }

  struct Outcome {
    std::string error;  ///< Empty: it ran to the end.
    Recorded events;
  };

  /// @param together  Whether warps execute instructions together.
  Outcome run(bool together, const PipelineCase& pipeline = {});

  /// The kernel as the server lifts it.
  Result<Program> lifted();

  /// The element of `in` that thread `lane` stores, of the store number `store`; -1: it is none.
  [[nodiscard]] std::int64_t stored(const Outcome& done, std::size_t store, std::int32_t lane);
  /// The text of its index.
  [[nodiscard]] std::string stored_text(const Outcome& done, std::size_t store, std::int32_t lane);

 private:
  NodeId node(NodeKind kind, TypeId type, std::vector<NodeId> kids);
  TypeId type(TypeKind kind, const std::string& name, std::int64_t bytes);
  VariableId declared(const std::string& name, TypeId type);
  NodeId loop_of(VariableId i, NodeId body);

  Tree tree_;
  LaunchInput input_;
  Symbols symbols_;
  std::unique_ptr<Terms> terms_;
  TypeId int_ = kNone;
  TypeId float_ = kNone;
  TypeId pointer_ = kNone;
  VariableId in_ = kNone;
  VariableId out_ = kNone;
  VariableId count_ = kNone;
  VariableId shared_ = kNone;
  std::vector<NodeId> body_;
};

}  // namespace ws::lift
