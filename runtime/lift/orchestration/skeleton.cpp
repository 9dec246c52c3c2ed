#include "runtime/lift/orchestration/skeleton.h"

#include <algorithm>

#include "runtime/ir/diff/rules.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/orchestration/valued_names.h"

namespace ws::lift {
namespace {

bool is_control(NodeKind kind) {
  return kind == NodeKind::kBlock || kind == NodeKind::kIf || kind == NodeKind::kFor ||
         kind == NodeKind::kWhile || kind == NodeKind::kDo;
}

}  // namespace

Skeleton::Skeleton(const Tree& tree, const LaunchInput& input, Symbols& symbols)
    : tree_(tree),
      input_(input),
      symbols_(symbols),
      facts_(tree),
      values_(tree, input.block),
      buffers_(tree, input),
      draft_(tree, values_.threads()),
      texts_(tree, input, symbols, facts_, values_, buffers_, draft_),
      holes_(tree, facts_, values_, texts_, buffers_, tiles_, draft_) {}

bool Skeleton::is_worthwhile() const {
  const NodeId body = tree_.function(input_.entry).body;
  return body != kNone && facts_.has_primitives(body);
}

Status Skeleton::write(const std::string& name, Program& program) {
  // Twice: an array is declared before the product that says that it is a tile.
  walk();
  tiles_.end_first_walk();
  buffers_.shape_by_boxes();
  walk();
  for (const Hole& hole : std::as_const(draft_).holes()) {
    draft_.fill_stand_in(hole, holes_.stand_in(hole));
  }
  const std::string text = draft_.text(name, input_);
  Result<ir::Program> parsed = ir::parse_program(text);
  if (!parsed || draft_.is_full()) {
    return fail(ErrorCode::kInternal, "the skeleton does not parse",
                parsed ? "" : parsed.error().message);
  }
  settle_names(*parsed);
  program.ir = ir::print(*parsed);
  program.holes = draft_.holes();
  program.registers = tiles_.all(input_.block);
  program.not_lifted.insert(program.not_lifted.end(), draft_.not_lifted().begin(),
                            draft_.not_lifted().end());
  return {};
}

/// Leaves out what reads names without a value, and reports it.
void Skeleton::settle_names(ir::Program& parsed) {
  std::set<std::string> holes;
  for (const Hole& hole : draft_.holes()) {
    holes.insert(hole.id);
  }
  for (const Valueless& one : give_names_values(parsed, holes)) {
    draft_.refuse(range_of(one.mark), "`" + one.name + "` has no value here");
  }
  for (Hole& hole : draft_.holes()) {
    const ir::Method* const method = parsed.find_method(hole.id);
    std::erase_if(hole.inputs, [&](const std::string& input) {
      return method != nullptr && input.find('.') == std::string::npos &&
             std::ranges::find(method->params, input, &ir::Param::name) == method->params.end();
    });
  }
}

/// The lines that a mark names; a range without a region where it is none.
Range Skeleton::range_of(const std::string& comment) const {
  const Result<std::optional<ir::Mark>> read = ir::parse_mark(comment, {});
  if (!read || !*read) {
    return {};
  }
  const ir::Mark& found = **read;
  const auto region = std::ranges::find(tree_.regions, found.file);
  return {region == tree_.regions.end() ? kNone
                                        : static_cast<std::int32_t>(region - tree_.regions.begin()),
          static_cast<std::int32_t>(found.first), 0, static_cast<std::int32_t>(found.last), 0};
}

void Skeleton::walk() {
  draft_ = ProgramDraft(tree_, values_.threads());
  cooperates_ = false;
  buffers_.begin_walk();
  refusal_.clear();
  refused_ = {};
  texts_.begin_walk();
  declared_at_.clear();
  helpers_.clear();
  returns_.clear();
  entered_.clear();
  barriers_.clear();
  role_depth_ = draft_.depth();
  wanted_.reset();
  open_.clear();
  parted_ = false;
  ended_ = false;
  role_nodes_.clear();
  some_of_ = kNone;
  waiting_.clear();
  holes_.begin_walk();
  hole_open_ = false;
  active_ = {1};
  const Function& entry = tree_.function(input_.entry);
  start_roles();
  if (entry.body != kNone) {
    statement(entry.body);
  }
  close_hole();
  draft_.build_first(buffers_.allocations());
  if (cooperates_) {
    const auto& [x, y, z] = input_.block;
    draft_.build_first({"self.blockDim = (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                        std::to_string(z) + ")"});
  }
}

void Skeleton::statement(NodeId id) {
  const Node& node = tree_.node(id);
  if (draft_.is_full()) {
    return;
  }
  texts_.forget_results(id);
  const std::optional<Lanes> fixed =
      node.kind == NodeKind::kIf ? texts_.exact(node.kids[0]) : std::nullopt;
  if (fixed && fixed->size() == 1) {
    // `if constexpr`: there is one side only.
    const std::size_t side = fixed->front() != 0 ? 1 : 2;
    if (side < node.kids.size()) {
      statement(node.kids[side]);
    }
  } else if (node.kind == NodeKind::kBlock) {
    block(node);
  } else if (facts_.has_primitives(id) && joint_statement(id)) {
    texts_.note_changes(facts_.changed().by(id));
  } else if (node.op == COperator::kComma && facts_.has_primitives(id)) {
    statement(node.kids[0]);
    statement(node.kids[1]);
  } else if (is_control(node.kind) && facts_.has_primitives(id)) {
    control(id);
  } else {
    simple(id);
    const std::set<VariableId> changes = facts_.changed().by(id);
    texts_.note_changes(changes);
    note_alias(node);
    const auto differs = [&](VariableId one) {
      return is_used_outside(one) && !is_of_both(id, one);
    };
    if (some_of_ != kNone && std::ranges::any_of(changes, differs)) {
      draft_.refuse(node.range, "a number that some threads of a worker change, and others use");
    }
  }
}

/// Pointers, references and addresses stand for what they were made of, as long as it lasts.
void Skeleton::note_alias(const Node& node) {
  if (node.kind == NodeKind::kDeclare && node.kids.size() == 1 &&
      (facts_.is_alias(node) || facts_.is_address(node.kids[0]))) {
    texts_.note_alias(node.index, node.kids[0]);
  }
}

void Skeleton::block(const Node& node) {
  open_.push_back({&node, 0, active_});
  for (const NodeId kid : node.kids) {
    ++open_.back().next;
    statement(kid);
    if (parted_ || ended_) {
      break;
    }
  }
  open_.pop_back();
}

void Skeleton::control(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kIf) {
    branch(node);
  } else {
    loop(node);
  }
}

void Skeleton::simple(NodeId id) {
  const Node& node = tree_.node(id);
  if (facts_.has_primitives(id)) {
    close_hole();
    if (facts_.changes_within(id) ||
        (node.kind == NodeKind::kAssign && !is_plain_assignment(node))) {
      draft_.refuse(node.range, "an expression that synchronises and changes numbers as well");
    }
    several_ = calls_of(id) > 1;
    primitives(id);
    several_ = false;
    return;
  }
  if (node.kind != NodeKind::kIf && node.kind != NodeKind::kFor && facts_.changes_within(id)) {
    open_hole(id);
    return;
  }
  if (node.kind == NodeKind::kReturn) {
    returned(node);  // The return of a function that was entered, or the end of the kernel.
    return;
  }
  if (before_roles(id)) {
    return;
  }
  // A reference or a pointer to what has a name here is no more than another name.
  const bool alias = node.kind == NodeKind::kDeclare && !node.kids.empty() &&
                     facts_.is_alias(node) && !texts_.of(node.kids[0]).empty();
  if (alias) {
    declared_at_[node.index] = {draft_.place(), draft_.lines().size()};
  }
  if (facts_.is_assertion(id) || texts_.move_pointer(node) || pointer_field(node) || alias ||
      helper_statement(id) || integer_statement(id) || declare_registers(node) ||
      clear_registers(node)) {
    return;
  }
  if (node.kind == NodeKind::kIf && has_integers_only(id) && step_first(node.kids[0])) {
    close_hole();
    sides(node, texts_.of(node.kids[0]));
    return;
  }
  if (node.kind == NodeKind::kFor && has_integers_only(id)) {
    close_hole();
    loop(node);
    return;
  }
  open_hole(id);
}

}  // namespace ws::lift
