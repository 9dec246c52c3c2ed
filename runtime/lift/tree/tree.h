// A kernel's device code as plain data: what clang knows of it after templates and constants are
// resolved, without clang. Made in the compile worker (runtime/compile/clang/tree_*), read by the
// lifter.
//
// Everything is in tables and refers by index. A node's children, a type's parts and a variable's
// type come before what uses them, so no table has a cycle; validate() checks that of a tree from a
// worker that may be hostile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/lift/tree/operators.h"

namespace ws::lift {

using NodeId = std::int32_t;
using TypeId = std::int32_t;
using VariableId = std::int32_t;
using FunctionId = std::int32_t;
inline constexpr std::int32_t kNone = -1;

enum class TypeKind : std::uint8_t {
  kVoid,
  kInt,    ///< bool, characters and enumerations too.
  kFloat,  ///< half and bfloat16 too, though they are classes in the source.
  kPointer,
  kArray,
  kStruct,
  kOther,  ///< By name only.
};

struct Field {
  std::string name;
  TypeId type = kNone;
  std::int64_t offset = 0;  ///< In bytes.
};

struct Type {
  TypeKind kind = TypeKind::kOther;
  std::string name;           ///< As clang prints it: "unsigned int", "float4".
  std::int64_t bytes = 0;     ///< 0: unknown, or an array without a size.
  bool is_signed = false;     ///< kInt.
  TypeId element = kNone;     ///< kPointer, kArray; kNone where a pointer's target is not known.
  std::int64_t count = 0;     ///< kArray.
  std::vector<Field> fields;  ///< kStruct.
};

/// A place in what the client sent: 1-based, `end` after the last character.
struct Range {
  std::int32_t region = kNone;  ///< Index into Tree::regions.
  std::int32_t line = 0;
  std::int32_t column = 0;
  std::int32_t end_line = 0;
  std::int32_t end_column = 0;
};

enum class Space : std::uint8_t { kLocal, kParameter, kShared, kConstant, kGlobal };

struct Variable {
  std::string name;
  TypeId type = kNone;
  Space space = Space::kLocal;
  bool reference = false;      ///< Another name for what it is initialised with.
  std::int64_t alignment = 0;  ///< In bytes.
  Range range;
};

enum class NodeKind : std::uint8_t {
  // Statements; an expression is one too. A block and a kIf may also stand in expressions, as parts
  // that have no value.
  kBlock,    ///< Any statements.
  kDeclare,  ///< [initial value]; `index`: the variable.
  kIf,       ///< Condition, then, [else].
  kFor,      ///< Initial statement, condition, step, body. `value`: #pragma unroll N, 0: none.
  kWhile,    ///< Condition, body.
  kDo,       ///< Body, condition.
  kReturn,   ///< [value]
  kBreak,
  kContinue,
  kAsm,  ///< `text`: the template; `names`: constraints; outputs, then inputs. `value`: outputs.
  // Expressions.
  kInt,       ///< `value`
  kFloat,     ///< `number`
  kVariable,  ///< `index`
  kBuiltin,   ///< `builtin`; `value`: 0 to 2 for x to z.
  kUnary,     ///< `op`
  kBinary,    ///< `op`
  kAssign,    ///< Target, value; `op`: kAdd of `+=`, kNone of `=`.
  kCall,    ///< `index`: a function of the tree, or kNone and `text` its name; arguments. `value`:
            ///< a bit for each that is a place which the function may change.
  kCast,    ///< To `type`.
  kIndex,   ///< Base, index.
  kMember,  ///< `text`: the field; the object.
  kDereference,
  kAddress,
  kSelect,   ///< Condition, if true, if false; of nothing: an assertion.
  kList,     ///< {a, b}: what is missing is zero. `value` 1: not initialised at all.
  kUnknown,  ///< `text`: what clang calls it.
};

/// The indices and sizes that each thread has.
enum class Builtin : std::uint8_t { kThreadIdx, kBlockIdx, kBlockDim, kGridDim };

struct Node {
  NodeKind kind = NodeKind::kUnknown;
  TypeId type = kNone;
  std::int32_t index = kNone;
  std::int64_t value = 0;
  double number = 0;
  COperator op = COperator::kNone;
  Builtin builtin = Builtin::kThreadIdx;
  std::string text;
  std::vector<std::string> names;
  std::vector<NodeId> kids;
  Range range;
};

/// `a = b`.
inline bool is_plain_assignment(const Node& node) {
  return node.kind == NodeKind::kAssign && node.op == COperator::kNone;
}

/// Whether a kCall may change the place that its argument of this number is.
inline bool changes_argument(const Node& call, std::size_t index) {
  constexpr std::size_t kMostBits = 62;
  return index > kMostBits || ((call.value >> index) & 1) != 0;
}

/// As the source has it: "+", "+=", "=".
std::string operator_text(const Node& node);
/// "threadIdx.x", of a kBuiltin.
std::string builtin_text(const Node& node);

struct Function {
  std::string name;  ///< With its namespaces, without template arguments.
  bool kernel = false;
  std::vector<VariableId> params;
  TypeId result = kNone;
  NodeId body = kNone;
  std::int64_t max_threads = 0;  ///< __launch_bounds__; 0: none.
  Range range;
};

struct Tree {
  std::vector<std::string> regions;  ///< "source", "macros", a header's name.
  std::vector<Type> types;
  std::vector<Variable> variables;
  std::vector<Node> nodes;
  std::vector<Function> functions;
  std::vector<FunctionId> entries;  ///< One for each entry that was asked for.

  [[nodiscard]] const Node& node(NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }

  [[nodiscard]] const Type& type(TypeId id) const { return types[static_cast<std::size_t>(id)]; }

  /// Whether a type is known and of that kind.
  [[nodiscard]] bool is(TypeId id, TypeKind kind) const {
    return id != kNone && type(id).kind == kind;
  }

  [[nodiscard]] const Variable& variable(VariableId id) const {
    return variables[static_cast<std::size_t>(id)];
  }

  [[nodiscard]] const Function& function(FunctionId id) const {
    return functions[static_cast<std::size_t>(id)];
  }
};

/// CompileRequest::target of a compile that makes no code: the encoded tree is the outcome's log.
inline constexpr std::string_view kTreeTarget = "tree";

/// Deepest nesting of nodes and of types.
inline constexpr int kMaxTreeDepth = 400;
/// Most nodes of a tree.
inline constexpr std::size_t kMaxTreeNodes = 200'000;

std::string encode(const Tree& tree);

/// Checks every index and the depth. @errors kInternal: not what encode() makes of a tree.
Result<Tree> decode_tree(std::string_view text);

}  // namespace ws::lift
