// Statements of a symbolic run.
#include <algorithm>
#include <array>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

Status Block::statement(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.range.line > 0) {
    steps_.enter(node.range);
  }
  WS_CHECK(steps_.take());
  switch (node.kind) {
    case NodeKind::kBlock:
      for (const NodeId kid : node.kids) {
        WS_CHECK(statement(kid));
        if (control_.flow() != Flow::kNext) {
          break;
        }
      }
      return {};
    case NodeKind::kDeclare:
      return declare(node);
    case NodeKind::kIf:
      return branch(node);
    case NodeKind::kFor:
    case NodeKind::kWhile:
    case NodeKind::kDo:
      return loops_.run(node);
    case NodeKind::kReturn:
      return leave(node);
    case NodeKind::kBreak:
      control_.go(Flow::kBreak);
      return {};
    case NodeKind::kContinue:
      control_.go(Flow::kContinue);
      return {};
    case NodeKind::kAsm:
      return instructions_.run(node);
    case NodeKind::kUnknown:
      return fail(ErrorCode::kUnsupported, "not understood: " + node.text);
    default: {
      const Result<Value> value = evaluate(id);
      return value ? Status() : fail(value.error());
    }
  }
}

Status Block::declare(const Node& node) {
  const Variable& variable = tree_.variable(node.index);
  if (variable.space == Space::kShared) {
    return {};
  }
  if (variable.space != Space::kLocal) {
    return fail(ErrorCode::kUnsupported, "`" + variable.name + "` lives longer than the block");
  }
  Value value{variable.type, {}};
  if (variable.reference && !node.kids.empty()) {
    WS_TRY(ValuePlace at, place(node.kids[0]));
    objects_.declare(node.index, {variable.type, {{kNone, at.object, std::move(at.offset)}}});
    return {};
  }
  if (node.kids.empty()) {
    value.leaves.resize(scalars_.of(variable.type).size());
  } else {
    WS_CHECK(evaluator_.fill(variable.type, node.kids[0], value.leaves));
    for (const Leaf& leaf : value.leaves) {
      memory_.variables().note_assigned(leaf.term, variable.name, node.range);
    }
  }
  const ObjectId id = objects_.declare(node.index, std::move(value));
  objects_.at(id).range = node.range;
  objects_.at(id).last = node.range;
  return {};
}

Status Block::branch(const Node& node) {
  WS_TRY(const TermId raw, term_of(node.kids[0]));
  const TermId condition = numbers_.converted(raw, DType::kBool);
  if (const std::optional<Lanes> truth = numbers_.truth_of(condition)) {
    return known_branch(node, *truth);
  }
  if (const std::optional<bool> taken = places_.taken(condition)) {
    const std::size_t side = *taken ? 1 : 2;
    return side < node.kids.size() ? statement(node.kids[side]) : Status();
  }
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    const Guards::State around = guards_.state();
    const TermId holds = side == 1 ? condition : numbers_.negated(condition);
    side == 1 ? guards_.narrow(holds) : guards_.mask(holds);
    const Status done = guards_.is_nobody() ? Status() : statement(node.kids[side]);
    guards_.restore(around);
    WS_CHECK(done);
    if (control_.flow() == Flow::kReturn && control_.is_in_kernel() && around.conditions == 0) {
      WS_CHECK(exit_by(holds, around.conditions));
      control_.go(Flow::kNext);
    }
    if (control_.flow() == Flow::kContinue && control_.is_in_body(around.conditions)) {
      // The rest of this round is for the others.
      guards_.mask(numbers_.negated(holds));
      control_.go(Flow::kNext);
    }
    if (control_.flow() != Flow::kNext) {
      return fail(ErrorCode::kUnsupported,
                  "control flow that depends on a condition that is not known");
    }
  }
  return {};
}

Status Block::known_branch(const Node& node, const Lanes& truth) {
  const Lanes around = guards_.active();
  const auto side = [&](bool wanted) {
    return zip_lanes(around, truth, [&](std::int64_t a, std::int64_t b) {
      return std::int64_t{a != 0 && (b != 0) == wanted};
    });
  };
  Lanes returned = {0};
  const Lanes none = {0};
  const std::array<Lanes, 2> sides = {side(true), side(false)};
  const bool divergent = sides[0] != none && sides[1] != none;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == none || i + 1 >= node.kids.size()) {
      continue;
    }
    guards_.exchange(sides[i]);
    const Status done = statement(node.kids[i + 1]);
    guards_.exchange(around);
    WS_CHECK(done);
    if (control_.flow() == Flow::kReturn && divergent && control_.is_in_kernel()) {
      returned =
          zip_lanes(returned, sides[i], [](std::int64_t a, std::int64_t b) { return a | b; });
      control_.go(Flow::kNext);
    }
    if (control_.flow() != Flow::kNext && divergent) {
      return fail(ErrorCode::kUnsupported, "some threads leave a loop or function before others");
    }
  }
  // Only at the top may threads be gone for good: an outer branch would bring them back.
  if (returned != none && around != Lanes{1}) {
    return fail(ErrorCode::kUnsupported, "threads return within a branch that others do not take");
  }
  guards_.keep(returned, false);
  return {};
}

Status Block::leave(const Node& node) {
  if (!node.kids.empty()) {
    if (guards_.state() != control_.frame().guards) {
      return fail(ErrorCode::kUnsupported, "a value is returned by some threads only");
    }
    WS_TRY(Value result, evaluate(node.kids[0]));
    control_.frame().result = std::move(result);  // Calls in it may have moved the others.
  }
  control_.go(Flow::kReturn);
  return {};
}

/// Whether a value was read from memory, or changes in a loop: threads may have the same one,
/// though nothing says so.
bool Block::is_open(TermId value) const {
  std::set<TermId> seen;
  std::vector<TermId> open = {value};
  while (!open.empty()) {
    const TermId id = open.back();
    open.pop_back();
    if (id == kNone || !seen.insert(id).second) {
      continue;
    }
    const Term& term = terms_.at(id);
    if (term.kind == TermKind::kLoad || term.kind == TermKind::kCarried) {
      return true;
    }
    open.insert(open.end(), term.args.begin(), term.args.end());
  }
  return false;
}

/// Threads for which `holds` have returned. Where the whole block does, the program does so too.
/// Where it is for a part of a warp, no thread does: PTX ISA leaves undefined what an instruction
/// of the whole warp does then, and the kernel has such instructions.
/// @param before  How many conditions there were around the branch.
Status Block::exit_by(TermId holds, std::size_t before) {
  if (mode_.together && !is_alike(terms_, holds, static_cast<std::size_t>(kWarpSize))) {
    return !is_open(holds) ? Status()
                           : fail(ErrorCode::kUnsupported,
                                  "threads end by a condition that may differ between them");
  }
  if (mode_.by_warps && is_alike(terms_, holds, lanes_) && carried_.depth() == 0) {
    return reports_.leave(holds, steps_.where());
  }
  // Threads that returned do nothing more: what follows is done where they did not.
  guards_.mask(numbers_.negated(holds));
  guards_.leave_others(before);
  return {};
}

}  // namespace ws::lift
