// What a warpgroup's threads compute between two synchronisations, where it is understood: then
// there is no hole.
#include <algorithm>

#include "runtime/lift/part.h"
#include "runtime/lift/skeleton.h"

namespace ws::lift {

/// Adds a variable, behind those that it was made from.
void Skeleton::add_variable(VariableId id, const Hole& hole, std::vector<PartVariable>& all) const {
  const Variable& variable = tree_.variable(id);
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const PartVariable& one) { return one.id == id; });
  if (known || variable.space != Space::kLocal || declared_.contains(id)) {
    return;
  }
  PartVariable made;
  made.id = id;
  made.name = variable_text(id);
  made.known = !draft_.unknown.contains(made.name);
  made.written =
      std::find(hole.outputs.begin(), hole.outputs.end(), made.name) != hole.outputs.end();
  const auto fragment = fragments_.find(made.name);
  if (fragment != fragments_.end()) {
    made.kind = fragment->second.type == DType::kF32 ? PartVariable::Kind::kSums
                                                     : PartVariable::Kind::kOperands;
    made.cols = fragment->second.cols * std::max<std::int64_t>(fragment->second.parts, 1);
    made.block = fragment->second.cols;
    made.type = fragment->second.type;
  } else if (rows_.contains(made.name)) {
    made.kind = PartVariable::Kind::kRows;
  } else {
    const auto initial = initial_.find(id);
    made.known = draft_.taken.contains(made.name);
    if (initial != initial_.end() && !values_.changes(id) && is_lasting(initial->second)) {
      made.initial = initial->second;
      add_variables(initial->second, hole, all);
    }
  }
  all.push_back(std::move(made));
}

/// Whether what a variable was declared with is still the same: it needs none that changes.
bool Skeleton::is_lasting(NodeId id) const {
  const Node& node = tree_.node(id);
  return (node.kind != NodeKind::kVariable || !values_.changes(node.index)) &&
         std::all_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return is_lasting(kid); });
}

void Skeleton::add_variables(NodeId id, const Hole& hole, std::vector<PartVariable>& all) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kVariable) {
    add_variable(node.index, hole, all);
  }
  for (const NodeId kid : node.kids) {
    add_variables(kid, hole, all);
  }
}

/// Writes the open hole's statements as values and stores. False: they stay a hole.
bool Skeleton::compute(const Hole& hole) {
  if (!fragments_known_ || draft_.methods[current_].role.kind != "warpgroup" ||
      names_.size() != 1 || multiplicity() != 128) {
    return false;
  }
  for (const std::string& output : hole.outputs) {
    const bool memory = output.find('.') != std::string::npos;
    if (!memory && !fragments_.contains(output) && !rows_.contains(output)) {
      return false;
    }
  }
  std::vector<PartVariable> variables;
  for (const NodeId id : hole_nodes_) {
    add_variables(id, hole, variables);
  }
  std::set<std::string> taken = draft_.taken;
  for (const PartVariable& variable : variables) {
    taken.insert(variable.name);
  }
  const Result<std::vector<PartLine>> lines =
      lift_part(tree_, input_, symbols_, hole_nodes_, variables, taken);
  if (!lines) {
    return false;
  }
  for (const PartLine& one : *lines) {
    line(one.text, one.range);
  }
  for (const std::string& output : hole.outputs) {
    draft_.unknown.erase(output);
  }
  return true;
}

}  // namespace ws::lift
