// Runs the statements of one worker. Statements are coroutines, so that a worker can stop at a
// barrier; expressions are plain functions, which the parser's depth limit bounds.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/ir/exec/block.h"

namespace ws::ir {

class Interpreter {
 public:
  Interpreter(BlockState& state, Actor& actor)
      : state_(state),
        machine_(state.machine),
        actor_(actor),
        program_(*state.machine.grid().program) {}

  /// Runs a method with what `given` has for its parameters, and defaults for the rest.
  Task<Flow> run(const Method& method, Names given);

  /// Runs assignments outside methods. @errors as the statements.
  Status constants(const std::vector<StmtId>& body);

  [[nodiscard]] const Names& locals() const { return locals_; }

 private:
  /// A number, a slice or None in brackets.
  struct Part {
    bool single = false;
    bool new_axis = false;
    std::int64_t from = 0;
    std::int64_t to = 0;
    bool open_end = false;
  };

  using Targets = std::map<std::int64_t, std::vector<std::size_t>>;

  // interpreter.cpp: statements.
  Task<Flow> block(const std::vector<StmtId>& body);
  Task<Flow> loop(const Stmt& stmt);
  Task<Flow> call_method(const Method& method, const Expr& call);
  Flow simple(const Stmt& stmt);
  Status execute(const Stmt& stmt);
  Result<const Arm*> choose(const Stmt& stmt);
  bool spend(const Stmt& stmt);
  Flow fail_at(const Error& error);
  /// @errors kInvalidArgument: `what`, such as "the condition", is a number that nobody determined,
  /// and no finding says why yet.
  Status check_determined(const Value& value, const std::string& what);
  /// Whether a condition holds. @errors as check_determined; it is a tile.
  Result<bool> holds(const Value& condition);
  Result<std::vector<Value>> loop_numbers(const Stmt& stmt);
  const Method* own_method(ExprId id) const;
  Result<Names> bind_parameters(const Method& method, const Expr& call);

  // interpreter_assign.cpp
  Status assign(ExprId target, Value value);
  Status assign_part(const Expr& target, const Value& value);
  Status augment(const Stmt& stmt);
  static void give_name(const std::string& name, const Value& value);

  // interpreter_expr.cpp
  Result<Value> eval(ExprId id);
  Result<Value> name(const Expr& expr);
  Result<Value> attribute(const Expr& expr);
  Result<Value> operation(const Expr& expr);
  Result<Value> logic(const Expr& expr);
  Result<Value> compare(const Expr& expr);
  Result<Value> tuple(const Expr& expr);
  /// Reads a buffer into a tile; other values as they are. @param gathers  As Access has it.
  Value read(const Value& value, bool gathers = false);

  // interpreter_index.cpp
  Result<Value> index(const Expr& expr);
  Result<std::vector<Part>> parts(const Expr& expr);
  static Result<Value> view_part(const Value& base, const std::vector<Part>& parts);
  Result<Value> tile_part(const Value& base, const std::vector<Part>& parts);
  Result<Value> element(const Value& value);

  // interpreter_call.cpp
  Result<Value> call(const Expr& expr);
  Result<Value> call_op(const OpInfo& info, std::vector<Value> args, std::size_t positional,
                        const Expr& expr, const Value& barrier);
  Status check_call(const OpInfo& info, const std::vector<Value>& args);
  Status check_number(const OpParam& param, const Value& value);
  Result<Value> dispatch(const OpInfo& info, std::vector<Value>& args, const Value& barrier);
  Result<Value> pure(const OpInfo& info, std::vector<Value>& args);
  Status bind_role(const std::vector<Value>& args);

  // interpreter_fragment.cpp: which threads hold the elements of a tile.
  /// Whether an operation takes its argument `which` from other threads than those it falls to.
  [[nodiscard]] bool gathers(const OpInfo& info, std::span<const Value> args,
                             std::size_t which) const;
  [[nodiscard]] static bool lies_as_product(const Value& value);
  static SourcePlace fragment_of(std::span<const Value> from, const Value& result);
  static void note_fragment(const View& target, const Value& source);
  void check_fragment(const std::string& op, const std::string& param, const Value& operand);

  // interpreter_memory.cpp
  Result<Value> load(const std::vector<Value>& args);
  Status store(Op op, const std::vector<Value>& args);
  Result<Value> alloc(const std::vector<Value>& args);
  Status copy(const std::vector<Value>& args);
  Status copy_async(const std::vector<Value>& args);
  Result<Value> gemm_async(const std::vector<Value>& args);
  static std::vector<std::int64_t> integers(const Value& value);

  // interpreter_sync.cpp
  Result<Value> at_block(const std::vector<Value>& args);
  Result<Value> barriers(const std::vector<Value>& args);
  Result<Value> ring(const std::vector<Value>& args);
  /// A method of a ring, by the barriers that it is made of.
  Status ring_op(Op op, const Value& ring, std::int64_t round);
  static Value ring_full(const Value& ring, std::int64_t round);
  Result<std::int64_t> expected_bytes(const std::vector<Value>& args);
  Status nothing(const OpInfo& info, const std::vector<Value>& args, const Value& barrier);

  // Counts, where the launch has somebody who wants to know.
  void count_access(TileWorkKind kind, const View& view);
  void count_elements(TileWorkKind kind, const Value& tensor, std::size_t elements,
                      std::span<const std::int64_t> at);
  void count_operation(Op op, std::span<const Value> args, const Value& result);
  void count_operator(Operator op, const Value& a, const Value& b, const Value& result);

  // interpreter_elements.cpp
  Result<Value> gather(const std::vector<Value>& args);
  Status scatter(Op op, const std::vector<Value>& args);
  /// The elements of the flat target that are written, and the elements of the value that go there.
  Result<Targets> scatter_targets(Op op, const Value& target, const Value& indices,
                                  const Value& mask);
  Result<std::int64_t> flat_index(double index, const Value& tensor, const std::string& example);

  BlockState& state_;
  Machine& machine_;
  Actor& actor_;
  const Program& program_;
  Names locals_;
  Value returned_;
  SourcePlace place_;               // The place of the expression that is being evaluated.
  std::vector<SourcePlace> loops_;  // Outermost first.
  bool yield_ = false;              // The scheduler gets its turn after this statement.
  FindingKind failure_ = FindingKind::kRuntimeError;  // The kind of finding that fail_at reports.
};

/// The value of a buffer as a whole, or of a part.
Value value_of(const View& view);

}  // namespace ws::ir
