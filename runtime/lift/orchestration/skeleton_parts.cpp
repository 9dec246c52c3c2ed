// Statements that threads or warps do one by one, cp.async and mma.sync, as copies and products of
// the block's tiles.
#include <algorithm>

#include "runtime/lift/orchestration/skeleton.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

bool uses(const Tree& tree, std::string_view instruction) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [&](const Node& node) {
    return node.kind == NodeKind::kAsm && node.text.find(instruction) != std::string::npos;
  });
}

}  // namespace

/// Whether what is being written is done by all threads of a block that is one worker.
bool Skeleton::by_block() const {
  const NodeId body = tree_.function(input_.entry).body;
  return draft_.method() == 0 && texts_.depth() == 1 && body != kNone && !splits(body) &&
         !uses(tree_, "wgmma.mma_async") &&
         multiplicity() == static_cast<std::int64_t>(values_.threads());
}

/// Writes a statement that copies or multiplies. False: it does neither, or is not understood.
bool Skeleton::joint_statement(NodeId id) {
  const Node& node = tree_.node(id);
  const std::optional<Lanes> truth =
      node.kind == NodeKind::kIf ? texts_.exact(node.kids[0]) : std::nullopt;
  // An `if` stays one, unless it only chooses threads.
  const bool stays = node.kind == NodeKind::kIf && (!truth || truth->size() == 1);
  if (node.kind == NodeKind::kBlock || stays || !by_block()) {
    return false;
  }
  const Cooperation cooperation = facts_.cooperation_of(id);
  if (cooperation != Cooperation::kCopies && cooperation != Cooperation::kProducts) {
    return false;
  }
  close_hole();
  holes_.open();
  Hole hole;
  hole.range = node.range;
  holes_.add(id, hole);
  const bool done = compute(hole, cooperation).empty();
  cooperates_ = cooperates_ || done;
  return done;
}

/// Why a statement was not understood: that of the outermost one says most, unless it is a loop
/// that is walked through anyway.
void Skeleton::note_refusal(const Range& range, const std::string& why) {
  const bool within = refused_.region == range.region && refused_.line <= range.line &&
                      range.end_line <= refused_.end_line;
  if (!within) {
    refusal_ = why;
    refused_ = why == Block::kUnknownRounds ? Range() : range;
  }
}

}  // namespace ws::lift
