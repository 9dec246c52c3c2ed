// The symbolic run of a kernel of tiles. Private to this folder: lift_tile.h is the interface.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/lift/tile/api.h"
#include "runtime/lift/tile/lift_tile.h"
#include "runtime/lift/tile/value.h"
#include "runtime/lift/tile/writer.h"

namespace ws::lift::tile {

/// The arguments of a call, by the names of its parameters.
class Arguments {
 public:
  /// Null: left out, or None.
  [[nodiscard]] const Value* find(std::string_view name) const;

  [[nodiscard]] const Value& first() const { return values_.begin()->second; }

  void set(const std::string& name, Value value) { values_.emplace_back(name, std::move(value)); }

 private:
  std::vector<std::pair<std::string, Value>> values_;
};

class Lifter {
 public:
  Lifter(const File& file, const TileLaunch& launch)
      : file_(file),
        launch_(launch) {}

  Lifted run();

 private:
  /// The names of one function that is being written out.
  struct Scope {
    const Function* function = nullptr;
    /// The statements whose end is that of a function which the kernel calls; null: the kernel's.
    const std::vector<NodeId>* tail = nullptr;
    std::string prefix;  ///< Its names in the program begin with it.
    std::map<std::string, Value> names;
    std::map<std::string, std::string> variables;  ///< By name: its variable in the program.
    std::map<std::string, int> lost;               ///< Assigned on some ways only: name -> line.
    std::set<const Node*> results = {};            ///< Julia: what they give is returned.
    int depth = 0;                                 ///< Loops and branches around the statement.
    bool written_out = false;                      ///< The innermost loop around the statement is.
    /// The line of the source that called a function of another file; 0: it stands in the source.
    int called_at = 0;
    std::optional<Value> returned;
  };

  // lifter.cpp, lifter_parameters.cpp: the entry, and messages.
  void bind_parameters(const Function& function);
  Value parameter_value(const Function& function, std::size_t index, const TileArg& arg);
  Value tensor_value(const TileArg& arg, std::size_t index);
  Value descriptor_value(const TileArg& arg, std::size_t index);
  /// `A::ct.TileArray{T,2}` says what T is.
  void bind_type_name(const Parameter& parameter, const Value& value);
  std::size_t tensor_of(const TileArg& arg, std::size_t index);
  /// Remembers a mistake at `node`, and fails.
  tl::unexpected<Error> complain(const Node& node, std::string message, std::string hint = {});
  /// Fails because of a mistake that was told already.
  static tl::unexpected<Error> silent();
  /// Counts work. @errors it is too much: nothing more is lifted.
  Status count_steps(const Node& node, std::size_t steps);
  /// Goes one expression or block deeper; nested_ counts them. @errors it is too deep.
  Status go_deeper(const Node& node);

  [[nodiscard]] bool stopped() const { return steps_ > kMaxSteps; }

  [[nodiscard]] bool julia() const { return file_.language == Language::kCutileJl; }

  [[nodiscard]] bool triton() const { return file_.language == Language::kTriton; }

  /// "tl." or "ct.", as messages write it.
  [[nodiscard]] std::string prefix() const { return triton() ? "tl." : "ct."; }

  [[nodiscard]] std::string spelled(Api api) const;

  // lifter_statements.cpp, lifter_loops.cpp, lifter_branches.cpp, lifter_variables.cpp
  void block(const std::vector<NodeId>& body);
  Status statement(const Node& node);
  Status assign(const Node& node);
  Status assign_to(const Node& target, const Value& value, int line);
  Status assign_tuple(const Node& target, const Value& value, int line);
  Status assign_name(const Node& target, const Value& value, int line);
  /// `break` and `continue`.
  Status leave(const Node& node);
  Status expression_statement(const Node& node);
  Status for_loop(const Node& node);
  Status unroll(const Node& node, const std::vector<Value>& items);
  Status while_loop(const Node& node);
  Status if_statement(const Node& node);

  /// A name that a loop's own hides.
  struct Outer {
    Value value;
    std::string variable;  ///< Empty: it has none.
  };

  std::optional<Outer> hide(const std::string& name);
  void restore(const std::string& name, const std::optional<Outer>& outer);
  Status return_statement(const Node& node);
  /// The body of a loop, whose names that were assigned before keep their types.
  /// @param condition  Worked out at the beginning of each round; kNoNode: there is none.
  Status loop_body(const Node& node, NodeId condition = kNoNode);
  Status counted_loop(const Node& node, const std::string& name, const std::vector<Value>& range);
  Result<Value> loop_condition(const Node& node, NodeId id);
  Status leave_unless(const Node& node, NodeId id);
  void forget_new_names(const std::map<std::string, Value>& before, int line);
  /// Names that are assigned in `body`.
  void assigned_names(const std::vector<NodeId>& body, std::set<std::string>& names) const;
  /// A branch of an `if`, in an own set of names, which it gives back.
  std::map<std::string, Value> branch(const std::vector<NodeId>& body);
  /// Whether it is an `if` that returns nothing from a function which the kernel calls.
  [[nodiscard]] bool leaves_early(const Node& node, const std::vector<NodeId>& body) const;
  /// The statements after it run where its condition does not hold.
  Status leave_early(const Node& node, const std::vector<NodeId>& rest);
  Status merge(const Node& node, const std::map<std::string, Value>& then,
               const std::map<std::string, Value>& other);
  /// The value in a new variable, unless it is constant.
  Value named(const Value& value, const std::string& wish, int line);
  /// The value in the variable of `key`, which is a name of the scope or a part of one.
  Value kept(const Value& value, const std::string& key, int line);
  /// The same, and no constant any more: it is going to change in a loop or a branch.
  Value loosened(const Value& value, const std::string& key, int line);
  void loosen(const std::set<std::string>& names, int line);
  /// Says that the variable of `key` holds the value, whatever way led here.
  void rename(Value& value, const std::string& key);
  std::string variable(const std::string& wish);
  std::string variable_of(const std::string& key);
  /// The key of a part of the value with `key`.
  static std::string part_of(const std::string& key, std::size_t part);

  // lifter_expressions.cpp, lifter_names.cpp
  Result<Value> eval(NodeId id);
  Result<Value> eval_kind(const Node& node);
  /// Operands from left to right: what one reads is not what a later one writes.
  Result<std::vector<Value>> eval_all(std::span<const NodeId> ids);
  /// Moves what the value reads before the statements since the first `count`, if they write.
  void read_early(Value& value, std::size_t count, int line);
  Result<Value> name(const Node& node);
  /// The value of a path that an import stands for. @errors the file that was sent lacks it.
  Result<Value> imported(const Node& node, const std::string& path);
  /// Fails where the value is a member of a module that was not sent.
  Status check_sent(const Node& node, const Value& value);
  Result<Value> attribute(const Node& node);
  Result<Value> member(const Node& node, const std::string& path);
  static Value member_of_library(const std::string& path);
  Result<Value> index(const Node& node);
  Result<Value> index_tile(const Node& node, const Value& base);
  Result<Value> conditional(const Node& node);
  /// A branch that gives `variable` the value.
  Status chosen(NodeId id, const std::string& variable);
  Result<Value> logic(const Node& node);
  Result<Value> tuple(const Node& node);
  /// @errors it has too many parts.
  Result<Value> checked_tuple(const Node& node, std::vector<Value> items);
  /// The constant that a name of the file stands for. @errors it is none.
  Result<Value> file_constant(const Node& node, NodeId id);
  /// The value of an expression that stands outside of functions.
  Result<Value> eval_in_file(NodeId id);

  // lifter_julia.cpp: rules that only Julia has.
  Result<Value> julia_name(const Node& node);
  Result<Value> julia_index(const Node& node);
  Result<Value> julia_binary(const Node& node, std::string op, Value a, Value b);
  Result<Value> julia_range(const Node& node);
  /// `muladd` multiplies tiles, or elements where it has a dot or takes numbers.
  static const ApiInfo* by_elements(const Node& node, const ApiInfo& info,
                                    const std::vector<Value>& args);
  /// A function of elements takes tiles with a dot only.
  Status check_dot(const Node& node, const ApiInfo& info, const std::vector<Value>& args);

  // lifter_arithmetic.cpp, lifter_types.cpp, lifter_broadcast.cpp
  Result<Value> unary(const Node& node, const std::string& op, const Value& x);
  Result<Value> binary(const Node& node, const std::string& op, Value a, Value b);
  Result<Value> pointer_sum(const Node& node, const std::string& op, const Value& a,
                            const Value& b);
  Result<Value> fold(const Node& node, const std::string& op, const Value& a, const Value& b);
  Result<Value> numeric(const Node& node, const std::string& op, Value a, Value b);
  Result<Value> select(const Node& node, Value condition, Value x, Value y);
  /// The type of an operation on both. @errors the language does not mix them.
  Result<DType> promote(const Node& node, const Value& a, const Value& b, bool divides = false);
  /// The tiles among the values with one number of dimensions, and the shape of all together.
  Result<Shape> align(const Node& node, std::vector<Value*> values);
  Value cast(const Value& value, DType dtype);
  /// The value as an operand of an operation in `dtype`: a tile converted, and a number beside one
  /// rounded as the language does.
  Value operand(const Value& value, DType dtype);
  /// A number of the run, rounded to its type; a tile's elements are by every operation.
  static Value rounded(Value value);
  /// A tile of `shape`, which `value` is repeated to. @errors it cannot be.
  Result<Value> broadcast(const Node& node, const Value& value, const Shape& shape);

  // lifter_calls.cpp, lifter_functions.cpp
  Result<Value> call(const Node& node);
  /// @errors Julia: it has several methods, and nothing here chooses between them.
  Status check_single(const Node& node, const Function& function);
  Result<Value> call_function(const Node& node, const Function& function,
                              std::vector<Value> positional, std::vector<Value> named);
  /// The arguments as names of the function. @errors they do not fit its parameters.
  Result<std::map<std::string, Value>> bind_function(const Node& node, const Function& function,
                                                     std::vector<Value> positional,
                                                     std::vector<Value> named);
  Result<Value> default_of(const Parameter& parameter);
  /// The body, in a scope that has the arguments.
  Result<Value> run_function(const Node& node, const Function& function);
  /// Julia: the statements whose value is that of the function.
  void find_results(const std::vector<NodeId>& body, std::set<const Node*>& results) const;
  Result<Value> call_julia(const Node& node, const std::string& name,
                           const std::vector<Value>& args);
  Result<Value> call_builtin(const Node& node, const std::string& name,
                             const std::vector<Value>& args);
  Result<Value> call_math(const Node& node, const std::string& name,
                          const std::vector<Value>& args);
  Result<Value> call_method(const Node& node, const Value& method, std::vector<Value> args);
  Result<Value> call_api(const Node& node, const ApiInfo& info, std::vector<Value> args);
  Result<Arguments> bind(const Node& node, const Spelling& spelling, std::vector<Value> args);
  Result<Value> dispatch(const Node& node, const ApiInfo& info, const Arguments& args);
  /// The numbers of a loop, or a tuple of them where it is written out.
  Result<Value> range_of(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> static_assertion(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<std::vector<Value>> loop_range(const Node& node, const std::vector<Value>& args);

  // lifter_values.cpp, lifter_shapes.cpp, lifter_elements.cpp, lifter_reductions.cpp
  Result<Value> grid(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> make(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> arange(const Node& node, const Arguments& args);
  Result<Value> shaped(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> reshape(const Node& node, const Value& x, Shape shape);
  Result<Value> cat(const Node& node, const Arguments& args);
  Result<Value> extract(const Node& node, const Value& x, const Arguments& args);
  Result<Value> permute(const Node& node, const Value& x, const Shape& dims);
  Result<Value> map(const Node& node, const ApiInfo& info, const Value& x);
  Result<Value> zip(const Node& node, const ApiInfo& info, const Value& x, const Value& y);
  Result<Value> elements(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> reduce(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> reduce_along(const Node& node, const ApiInfo& info, const Value& x,
                             std::vector<std::int64_t> dims, bool keep);
  /// Where the extreme is, as the language counts.
  Result<Value> find_index(const Node& node, const ApiInfo& info, const Value& x,
                           std::optional<std::int64_t> dim, bool keep);
  Result<Value> scan(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> product(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> convert(const Node& node, const Value& x, const Value& dtype);
  Result<Value> convert_bits(const Node& node, const Value& x, const Value& dtype);
  Result<Shape> shape_of(const Node& node, const Value& value);
  Result<std::int64_t> axis_of(const Node& node, const Value& value, std::size_t rank);
  Result<DType> dtype_of(const Node& node, const Value* value, DType otherwise);
  /// @errors more elements than a tile may have, or a size that is no power of two.
  Status check_tile(const Node& node, const Shape& shape);

  // lifter_random.cpp
  Result<Value> random(const Node& node, const ApiInfo& info, const Arguments& args);
  /// The four words of a call.
  Result<std::vector<Value>> random_bits(const Node& node, const ApiInfo& info,
                                         const Arguments& args);
  /// A number in [0, 1) of 32 random bits.
  Result<Value> uniform(const Node& node, const Value& bits);
  /// Two normal numbers, as a tuple.
  Result<Value> normal_pair(const Node& node, const Value& first, const Value& second);

  // lifter_pointers.cpp: Triton's memory.
  Result<Value> memory(const Node& node, const ApiInfo& info, const Arguments& args);
  Result<Value> pointer_load(const Node& node, const Value& pointer, const Arguments& args);
  Result<Value> pointer_store(const Node& node, const Value& pointer, const Arguments& args);
  Result<Value> pointer_add(const Node& node, const Value& pointer, const Arguments& args);
  Result<Value> make_block(const Node& node, const ApiInfo& info, const Arguments& args);
  /// The value as it is now: the variables that it is made of may change later.
  Value fixed(const Value& value, int line);
  Result<Value> advance(const Node& node, const Arguments& args);
  /// A tile at the offsets of a descriptor, read; or written where there is a value.
  Result<Value> at_offsets(const Node& node, const Value& descriptor, const Value* offsets,
                           const Value* value);
  /// The value of a descriptor's member. Nothing: it has no such member.
  static std::optional<Value> of_descriptor(const Value& descriptor, const std::string& what);

  /// The tile of pointers of a block pointer, and where they are inside.
  struct BlockParts {
    Value pointer;
    std::optional<Value> inside;
  };

  Result<BlockParts> block_parts(const Node& node, const Value& block, const Value* checked);
  /// Adds a dimension, whose indices are a tile or a number.
  Status add_dim(const Node& node, BlockParts& parts, const Value& index, const Value& stride,
                 const Value* size);
  Result<Value> masked_gather(const Node& node, const Value& pointer, const Value* mask,
                              const Value* other, const std::string& otherwise);
  /// ", mask=...", as a tile of `shape`; empty where it is always true.
  Result<std::string> mask_text(const Node& node, const Value* mask, const Shape& shape);
  Status write(const Node& node, const std::string& op, const Value& pointer, const Value& value,
               const Value* mask);

  // lifter_arrays.cpp, lifter_gather.cpp: the memory of cuTile.
  Result<Value> array_load(const Node& node, const Arguments& args);
  Result<Value> array_store(const Node& node, const Arguments& args);
  Result<Value> array_gather(const Node& node, const Arguments& args);
  Result<Value> array_scatter(const Node& node, const ApiInfo& info, const Arguments& args);

  /// Where the array's elements lie in its tensor.
  Result<BlockView> view_of(const Node& node, const Value& array);
  /// The number of elements along a dimension.
  static Value extent_of(const Value& array, std::size_t dim);
  // lifter_views.cpp: parts of arrays.
  Result<Value> array_part(const Node& node, const Arguments& args);
  Result<Value> array_slice(const Node& node, const Arguments& args);
  Result<Value> load_parts(const Node& node, const Arguments& args);
  /// The places of a tile of an array that is a part of a tensor; `items` count tiles of `shape`.
  Result<BlockParts> tile_parts(const Node& node, const Value& array, std::vector<Value> items,
                                const Shape& shape);
  Result<BlockParts> places(const Node& node, const Value& array, const Value& indices, bool check);
  /// Those where the call's mask holds, too.
  Result<BlockParts> reached(const Node& node, const Value& array, const Value& indices,
                             const Arguments& args);
  Result<std::vector<Value>> indices_of(const Node& node, const Value& value, std::size_t rank);
  Result<Shape> order_of(const Node& node, const Value* order, std::size_t rank);
  Result<Value> array_argument(const Node& node, const Arguments& args);

  void emit(const std::string& text, int line);
  /// The line that a statement has in the program: in the source, whichever file it stands in.
  [[nodiscard]] int line_in_source(int line) const;

  const File& file_;
  const TileLaunch& launch_;
  Lifted result_;
  LiftedLaunch made_;
  Writer writer_;
  Writer::Head head_;
  std::vector<Scope> scopes_;
  std::vector<std::string> buffers_;   ///< By tensor: the buffer's name.
  std::map<NodeId, Value> constants_;  ///< By where it stands in the file.
  int calls_ = 0;                      ///< Functions that were written out.
  int loops_ = 0;                      ///< Around this statement.
  std::size_t steps_ = 0;
  int nested_ = 0;  ///< Expressions and blocks around this one, with those of calls around it.
};

}  // namespace ws::lift::tile
