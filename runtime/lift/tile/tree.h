// A file of kernels as a tree, the same for all languages of tiles. Nodes name each other by index,
// so that neither building nor dropping a tree recurses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/language.h"

namespace ws::lift::tile {

using NodeId = std::int32_t;
inline constexpr NodeId kNoNode = -1;

enum class NodeKind : std::uint8_t {
  kName,         // text
  kInteger,      // integer
  kFloat,        // number; text is what was written
  kText,         // text
  kBool,         // integer
  kNone,         //
  kAttribute,    // kids[0] . text
  kIndex,        // kids[0] [ kids[1..] ]
  kSlice,        // kids: from, to, step; each may be kNone
  kCall,         // kids[0] ( kids[1..] ); the last names.size() of them are named
  kUnary,        // text kids[0]
  kBinary,       // kids[0] text kids[1]; in Julia ".+" is an operator of its own
  kCompare,      // kids[0] text kids[1]
  kAnd,          // kids
  kOr,           // kids
  kConditional,  // kids[0] if kids[1] else kids[2]
  kTuple,        // kids
  kAssign,       // kids[1..] = kids[0]
  kAugment,      // kids[0] text= kids[1]
  kExpression,   // kids[0]
  kFor,          // for kids[0] in kids[1]: body
  kWhile,        // while kids[0]: body
  kIf,           // if kids[0]: body, else: other
  kReturn,       // kids[0], or nothing
  kPass,         //
  kBreak,        //
  kContinue,     //
  kUnsupported,  // text: what it is called: "a lambda"
  kUnread,       // text: why the parser did not understand it
};

struct Node {
  NodeKind kind = NodeKind::kPass;
  int line = 0;
  int column = 0;  ///< From 1; 0: unknown.
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<NodeId> kids;
  std::vector<std::string> names;
  std::vector<NodeId> body;
  std::vector<NodeId> other;
  std::size_t unit = 0;  ///< Index into File::units: where it stands.
};

struct Parameter {
  std::string name;
  int line = 0;
  NodeId annotation = kNoNode;
  NodeId default_value = kNoNode;
};

struct Function {
  std::string name;
  int line = 0;
  int last_line = 0;
  bool open = false;  ///< It takes any number of arguments.
  std::vector<Parameter> parameters;
  std::vector<NodeId> decorators;
  std::vector<NodeId> body;
  std::size_t unit = 0;  ///< Index into File::units.
};

/// A text that the tree was made of: the kernel's source, or a file beside it.
struct Unit {
  std::string file;    ///< "ops/helpers.py"; empty: the source.
  std::string module;  ///< "ops.helpers", by which it is imported; empty: the source.
};

/// Names of a file beside the source have its module before them: "ops.helpers.f".
struct File {
  Language language = Language::kTriton;
  std::vector<Node> nodes;
  std::vector<Function> functions;
  std::map<std::string, std::string> modules;  ///< A name -> the module or member it stands for.
  std::map<std::string, NodeId> constants;     ///< A name of the file -> its value.
  std::vector<Unit> units = {Unit()};

  [[nodiscard]] const Node& node(NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }

  /// A name of a unit as all units see it.
  [[nodiscard]] std::string qualified(std::size_t unit, const std::string& name) const;

  /// The last one, as Python has it. Null: there is none.
  [[nodiscard]] const Function* find(std::string_view name) const;

  /// A unit that an imported path names, or whose member it names, with the member: "ops.helpers.f"
  /// for "package.ops.helpers.f". Nothing: it is of no file that was sent.
  [[nodiscard]] std::optional<std::string> sent(std::string_view path) const;

  /// The unit of that module. Null: there is none.
  [[nodiscard]] const Unit* unit_of(std::string_view module) const;

  /// Adds what another file has, as a unit. @param name  Its file, relative: "ops/helpers.py".
  void add(File other, const std::string& name);
};

/// Whether an annotation or decorator names `word` somewhere: `tl.constexpr`, `ct.Constant[int]`.
/// Names of the file stand for their values, and may stand for each other. Any thread.
bool names_word(const File& file, NodeId id, std::string_view word);

/// Reads what python_syntax.py writes. Each node names only nodes before it.
/// @errors kInternal: it is something else.
Result<File> read_python(std::string_view json, Language language);

}  // namespace ws::lift::tile
