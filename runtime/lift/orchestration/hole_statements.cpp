#include "runtime/lift/orchestration/hole_statements.h"

#include <algorithm>

#include "runtime/kernel/expr/expr.h"
#include "runtime/lift/orchestration/part.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
namespace {

bool is_memory(const std::string& name) {
  return name.find('.') != std::string::npos;
}

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && !has(list, text)) {
    list.push_back(text);
  }
}

}  // namespace

HoleStatements::HoleStatements(const Tree& tree, const KernelFacts& facts,
                               const ThreadValues& values, const KernelTexts& texts,
                               SharedBuffers& buffers, const RegisterTiles& tiles,
                               const ProgramDraft& draft)
    : tree_(tree),
      facts_(facts),
      values_(values),
      texts_(texts),
      buffers_(buffers),
      tiles_(tiles),
      draft_(draft) {}

void HoleStatements::open() {
  nodes_.clear();
  declared_.clear();
}

void HoleStatements::add(NodeId id, Hole& hole) {
  nodes_.push_back(id);
  note(id, hole, false);
}

/// Notes what a statement or an expression reads and writes: variables by their names, memory as
/// the program has it.
void HoleStatements::note(NodeId id, Hole& hole, bool target) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kDeclare) {
    declared_.insert(node.index);
  } else if (node.kind == NodeKind::kVariable) {
    note_variable(id, hole, target);
    return;
  } else if (node.kind == NodeKind::kAssign) {
    note(node.kids[0], hole, true);
    note(node.kids[1], hole, false);
    return;
  } else if (node.kind == NodeKind::kCall) {
    note_call(node, hole);
    return;
  } else if (node.kind == NodeKind::kIndex) {
    if (target) {
      note_place(id, hole);
    }
    note(node.kids[0], hole, target);
    note(node.kids[1], hole, false);
    return;
  } else if (node.kind == NodeKind::kMember) {
    return;  // This is an array of a struct in shared memory.
  }
  if (node.kind == NodeKind::kAsm) {
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
      note(node.kids[i], hole, static_cast<std::int64_t>(i) < node.value);
    }
    return;
  }
  const bool through = node.kind == NodeKind::kDereference || node.kind == NodeKind::kCast ||
                       node.kind == NodeKind::kAddress;
  for (const NodeId kid : node.kids) {
    note(kid, hole, through && target);
  }
}

void HoleStatements::note_variable(NodeId id, Hole& hole, bool target) {
  const Node& node = tree_.node(id);
  const auto threads = values_.of(id);
  // A value that is known for each thread, and has no name, needs none.
  const bool known =
      threads && (threads->size() > 1 || !draft_.is_integer(texts_.variable(node.index)));
  const bool own = known || declared_.contains(node.index);
  const std::string alias = facts_.is_pointer(node.index) ? place_of(texts_.of(id)).base : "";
  const std::string name =
      alias.starts_with("self.") ? alias : place_of(texts_.variable(node.index)).base;
  if (buffers_.find(alias) != nullptr) {
    buffers_.use(alias);
  } else if (facts_.is_pointer(node.index) && !name.starts_with("self.") &&
             !tiles_.contains(name)) {
    return;  // To memory that has no name here.
  }
  if (!own && target) {
    add_once(hole.outputs, name);
    if (facts_.is_integer(node.type)) {
      integers_.insert(name);
    }
  }
  const bool is_name = name.starts_with("self.") || is_identifier(name);
  if (!own && is_name && !draft_.is_unknown(name)) {
    add_once(hole.inputs, name);
  }
}

/// A call: what a function of the kernel writes through references is an output, and so is what an
/// intrinsic stores to.
void HoleStatements::note_call(const Node& node, Hole& hole) {
  const Meaning* meaning = node.index == kNone ? meaning_of_function(node.text) : nullptr;
  const bool stores = meaning != nullptr && meaning->handling == Handling::kStore;
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    note(node.kids[i], hole, facts_.is_written(node, i) || (stores && i == 0));
  }
}

/// Whether a variable of the open hole is in it.
bool HoleStatements::is_own(NodeId id) const {
  const Node& node = tree_.node(id);
  return (node.kind == NodeKind::kVariable && declared_.contains(node.index)) ||
         std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId kid) { return is_own(kid); });
}

/// The part of a shared array that a statement writes: what its indices say outside of the hole.
void HoleStatements::note_place(NodeId id, Hole& hole) {
  std::vector<NodeId> indices;
  while (tree_.node(id).kind == NodeKind::kIndex) {
    indices.push_back(tree_.node(id).kids[1]);
    id = tree_.node(id).kids[0];
  }
  std::string place = texts_.of(id);
  if (buffers_.find(place) == nullptr) {
    return;
  }
  buffers_.use(place);
  for (; !indices.empty(); indices.pop_back()) {
    const std::string index = texts_.of(indices.back());
    if (index.empty() || is_own(indices.back())) {
      break;
    }
    place += "[" + index + "]";
  }
  add_once(hole.outputs, place);
}

HoleStatements::Call HoleStatements::call(const Hole& hole) const {
  Call made;
  std::string targets;
  for (const std::string& output : hole.outputs) {
    const bool shared = is_memory(output) && buffers_.find(place_of(output).base) != nullptr;
    if (is_memory(output) && !shared) {
      continue;
    }
    made.given.push_back(output);
    const bool tile = shared || tiles_.contains(output);
    const std::string own = "value_" + std::to_string(made.given.size());
    targets += (targets.empty() ? "" : ", ") + (tile ? own : output);
    if (tile) {
      made.writes.push_back(shared ? "copy(" + output + ", " + own + ")" : output + "[:] = " + own);
    }
  }
  std::string args;
  for (const std::string& input : hole.inputs) {
    args += is_memory(input) ? "" : (args.empty() ? "" : ", ") + input;
  }
  made.text = targets + (targets.empty() ? "" : " = ") + "self." + hole.id + "(" + args + ")";
  return made;
}

std::vector<std::string> HoleStatements::stand_in(const Hole& hole) const {
  const std::string indent(8, ' ');
  std::vector<std::string> lines;
  std::string results;
  bool tiles = false;
  for (const std::string& input : hole.inputs) {
    if (tiles_.contains(input) && !has(hole.outputs, input)) {
      lines.push_back(indent + "seen_" + input + " = " + input + " * 1.0");
      tiles = true;
    }
  }
  for (const std::string& output : hole.outputs) {
    const std::string result = result_text(hole, output, tiles);
    results += (results.empty() || result.empty() ? "" : ", ") + result;
  }
  if (!tiles && results.empty()) {
    return {};
  }
  lines.push_back(indent + (results.empty() ? "pass" : "return " + results));
  return lines;
}

/// The value that a stand-in gives an output; empty: it has none. @param tile  Set for a tile.
std::string HoleStatements::result_text(const Hole& hole, const std::string& output,
                                        bool& tile) const {
  const Fragment* const fragment = tiles_.find(output);
  const MemoryPlace place = place_of(output);
  const SharedArray* const array = buffers_.find(place.base);
  const bool buffer = array != nullptr && place.indices.size() < array->dims.size();
  const auto rows = tiles_.rows(output);
  tile = tile || fragment != nullptr || (!rows && buffer);
  if (fragment != nullptr) {
    return has(hole.inputs, output) ? output + " * 1.0"
                                    : "zeros(" + fragment->shape() + ", \"" +
                                          std::string(name_of(fragment->type)) + "\")";
  }
  if (rows) {
    const std::optional<Layout> layout = tiles_.rows_layout(*rows);
    return "zeros((" + std::to_string(layout ? layout->rows : kProductRows) + ", 1), \"f32\")";
  }
  if (buffer) {
    std::string shape;
    for (std::size_t i = place.indices.size(); i < array->dims.size(); ++i) {
      shape += std::to_string(array->dims[i]) + ", ";
    }
    return "zeros((" + shape + "), \"" + std::string(name_of(array->type)) + "\")";
  }
  return is_memory(output) ? "" : integers_.contains(output) ? "0" : "0.0";
}

}  // namespace ws::lift
