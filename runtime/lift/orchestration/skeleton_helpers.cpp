// Functions on integers as methods of the program, which give what they change as well, as a
// program's methods change nothing.
#include <algorithm>
#include <array>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/reserved.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

/// `tiles::Schedule<1, 8>::next` is `Schedule_next`.
std::string method_name(const std::string& qualified, bool of_class) {
  std::string name;
  int depth = 0;
  for (const char c : qualified) {
    depth += c == '<' ? 1 : 0;
    name += depth == 0 ? std::string(1, c) : "";
    depth -= c == '>' ? 1 : 0;
  }
  const std::size_t last = name.rfind("::");
  const std::size_t cut =
      of_class && last != std::string::npos && last > 0 ? name.rfind("::", last - 1) : last;
  name = cut == std::string::npos ? name : name.substr(cut + 2);
  for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::")) {
    name.replace(at, 2, "_");
  }
  if (name.ends_with("operator++")) {
    name.replace(name.size() - 2, 2, "_step");  // Others have no name here.
  }
  return name;
}

/// Whether each method of a program knows all names in an expression.
bool has_public_names(std::string_view text) {
  constexpr std::array<std::string_view, 3> kPublic = {"self", "blockIdx", "gridDim"};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || text[end] == '.')) {
      ++end;
    }
    const std::string_view first = text.substr(at, std::min(text.find('.', at), end) - at);
    if (end > at && is_word_start(first[0]) && std::ranges::find(kPublic, first) == kPublic.end()) {
      return false;
    }
    at = std::max(end, at + 1);
  }
  return true;
}

void put_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

}  // namespace

/// Variables and fields of `id` that a caller knows, by their names here, and which of them it gets
/// another value of.
void Skeleton::note_uses(NodeId id, const Function& callee, bool target, Helper& helper) const {
  const Node& node = tree_.node(id);
  const bool field =
      node.kind == NodeKind::kMember && tree_.node(node.kids[0]).kind == NodeKind::kVariable;
  const VariableId root = field                              ? tree_.node(node.kids[0]).index
                          : node.kind == NodeKind::kVariable ? node.index
                                                             : kNone;
  if (root != kNone) {
    const auto param = std::find(callee.params.begin(), callee.params.end(), root);
    if (param == callee.params.end()) {
      return;
    }
    const std::string name =
        ir::free_name(tree_.variable(root).name + (field ? "_" + node.text : ""));
    const auto at = static_cast<std::size_t>(param - callee.params.begin());
    const std::pair<std::size_t, std::string> source(at, field ? node.text : "");
    const auto [known, fresh] = helper.given.emplace(name, source);
    helper.known = helper.known && (fresh || known->second == source);
    if (tree_.is(node.type, TypeKind::kPointer)) {
      helper.known = helper.known && !target;
      helper.places.emplace(name, "");
      return;
    }
    helper.known = helper.known && facts_.is_integer(node.type);
    put_once(helper.params, name);
    if (target && tree_.variable(root).reference) {
      put_once(helper.outputs, name);
    }
    return;
  }
  if (node.kind == NodeKind::kReturn && !facts_.is_integer(callee.result)) {
    helper.known = helper.known && facts_.changed().by(id).empty();
    return;  // Nobody here takes an object, such as `*this`.
  }
  const bool writes = node.kind == NodeKind::kAssign || is_step(node.op);
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    note_uses(node.kids[i], callee, writes && i == 0, helper);
  }
}

/// Writes a statement of a function on integers. False: it is not one.
bool Skeleton::helper_statement(NodeId id, const Helper& helper) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kBlock) {
    return std::all_of(node.kids.begin(), node.kids.end(),
                       [&](NodeId kid) { return helper_statement(kid, helper); });
  }
  if (node.kind == NodeKind::kReturn) {
    std::vector<std::string> values = helper.outputs;
    if (!node.kids.empty() && helper.gives) {
      values.insert(values.begin(), texts_.of(node.kids[0]));
    }
    draft_.line("return " + listed(values), node.range);
    return values.empty() || !values.front().empty();
  }
  if (node.kind == NodeKind::kIf) {
    const bool stepped = step_first(node.kids[0]);
    const std::string condition = stepped ? texts_.of(node.kids[0]) : "";
    draft_.line("if " + condition + ":", node.range);
    bool known = !condition.empty();
    for (std::size_t side = 1; side < node.kids.size(); ++side) {
      if (side == 2) {
        draft_.line("else:", ProgramDraft::kUnmarked);
      }
      draft_.indent();
      const std::size_t before = draft_.lines().size();
      known = known && helper_statement(node.kids[side], helper);
      if (draft_.lines().size() == before) {
        draft_.line("pass", ProgramDraft::kUnmarked);
      }
      draft_.outdent();
    }
    return known;
  }
  return facts_.is_assertion(id) || (node.kind == NodeKind::kDeclare && node.kids.empty()) ||
         integer_statement(id);
}

/// The text that a caller gives for a name of a function; empty: it has no form.
std::string Skeleton::given_text(const Node& call, const Helper& helper, const std::string& name) {
  const auto& [at, field] = helper.given.at(name);
  std::string given = at < call.kids.size() ? texts_.of(call.kids[at]) : "";
  if (given.empty() || field.empty()) {
    return given;
  }
  if (!is_identifier(given)) {
    return {};  // An object in an array has no variables.
  }
  return helper.places.contains(name) ? texts_.field(given + "_" + field) : given + "_" + field;
}

/// Finds where the pointers of a function point. False: one has no place that every caller knows.
bool Skeleton::find_places(const Node& call, Helper& helper) {
  for (auto& [name, place] : helper.places) {
    place = given_text(call, helper, name);
    if (!place.starts_with("self.") || !has_public_names(place)) {
      return false;
    }
  }
  return true;
}

/// The method that a function is, written once for the places that its pointers point to; nullptr:
/// it does more than count.
const Skeleton::Helper* Skeleton::helper_of(const Node& call) {
  const Function& callee = tree_.function(call.index);
  if (callee.body == kNone || facts_.has_primitives(callee.body)) {
    return nullptr;
  }
  Helper found;
  note_uses(callee.body, callee, false, found);
  const bool placed = find_places(call, found);
  const auto [entry, fresh] =
      helpers_.try_emplace(std::pair(call.index, found.places), std::move(found));
  Helper& helper = entry->second;
  if (fresh) {
    helper.known = helper.known && placed;
    write_helper(callee, helper);
  }
  return helper.known ? &helper : nullptr;
}

void Skeleton::write_helper(const Function& callee, Helper& helper) {
  helper.gives = facts_.is_integer(callee.result);
  const bool of_class = !callee.params.empty() && tree_.variable(callee.params[0]).name == "this";
  helper.name = method_name(callee.name, of_class);
  const auto is_attribute = [&](const std::string& name) {
    return std::ranges::find(input_.names, name) != input_.names.end() ||
           buffers_.find("self." + name) != nullptr;
  };
  while (ir::is_reserved(helper.name) || draft_.has_method(helper.name) ||
         is_attribute(helper.name)) {
    helper.name += "_";
  }
  const ProgramDraft before = draft_;
  const ProgramDraft::Place around = draft_.begin_function(helper.name, helper.params);
  std::map<VariableId, std::string> names;
  for (const VariableId param : callee.params) {
    names[param] = ir::free_name(tree_.variable(param).name);
    const auto place = helper.places.find(names[param]);
    names[param] = place == helper.places.end() ? names[param] : place->second;
  }
  for (const auto& [name, place] : helper.places) {
    texts_.set_field(name, place);
  }
  texts_.enter(std::move(names));
  helper.known = helper.known && is_identifier(helper.name) &&
                 (helper.gives || !helper.outputs.empty()) && helper_statement(callee.body, helper);
  if (!helper.gives) {
    draft_.line("return " + listed(helper.outputs), ProgramDraft::kUnmarked);
  }
  texts_.leave();
  for (const auto& [name, place] : helper.places) {
    texts_.set_field(name, "");
  }
  draft_.end_function(around);
  if (!helper.known) {
    draft_ = before;
  }
}

}  // namespace ws::lift
