#include "runtime/lift/orchestration/part.h"

#include <algorithm>

#include "runtime/ir/syntax/printer.h"
#include "runtime/ir/syntax/tree_queries.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

using Kind = PartVariable::Kind;

constexpr std::size_t kThreads = 128;  // The size of a warpgroup.

/// The row of a fragment that a thread's first registers belong to. PTX ISA: wgmma, register
/// fragments; others lie 8 rows below.
std::int64_t first_row(std::int64_t lane) {
  return lane / 32 * 16 + lane % 32 / 4;
}

/// The terms of a variable's registers; of those that hold two halves, both.
std::vector<TermId> terms_of(const Object& object, const PartVariable& variable, Terms& terms) {
  std::vector<TermId> now;
  for (const Leaf& leaf : object.leaves) {
    const bool pair = leaf.term != kNone && terms.at(leaf.term).kind == TermKind::kOperation &&
                      terms.at(leaf.term).op == OwnOp::kPackedPair;
    if (variable.kind != Kind::kOperands) {
      now.push_back(leaf.term);
    } else if (pair) {
      for (const TermId half : std::vector<TermId>(terms.at(leaf.term).args)) {
        now.push_back(terms.operation(ir::Op::kCast, variable.type, {half}));
      }
    } else {
      return {};
    }
  }
  return now;
}

/// The value that the statements gave a variable, as a tile.
struct Changed {
  const PartVariable* variable = nullptr;
  ObjectId id = kNone;
};

/// The variables that the statements gave other values. @errors kUnsupported: an integer.
Result<std::vector<Changed>> changed_variables(const std::vector<PartVariable>& variables,
                                               const std::vector<ObjectId>& ids,
                                               const std::vector<std::vector<Leaf>>& before,
                                               const Block& block) {
  std::vector<Changed> changed;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (block.objects()[static_cast<std::size_t>(ids[i])].leaves == before[i]) {
      continue;
    }
    if (variables[i].kind == Kind::kInteger) {
      return fail(ErrorCode::kUnsupported, "`" + variables[i].name + "` is given another value");
    }
    changed.push_back({&variables[i], ids[i]});
  }
  return changed;
}

/// Values first, then who gets them: one may need what another was.
Result<std::vector<PartLine>> assignments(const std::vector<Changed>& changed, const Range& range,
                                          const Block& block, Terms& terms, Writer& writer) {
  std::vector<PartLine> lines;
  for (const auto& [variable, id] : changed) {
    const Object& object = block.objects()[static_cast<std::size_t>(id)];
    WS_TRY(const ir::ExprId value, writer.value(id, terms_of(object, *variable, terms)));
    const bool product =
        changed.size() == 1 && ir::called_op(writer.tree(), value) == ir::Op::kGemm;
    const std::string target = variable->name + (variable->kind == Kind::kRows ? " = " : "[:] = ");
    if (product) {
      lines.push_back({target + ir::print_expr(writer.tree(), value), range});
      continue;
    }
    lines.push_back(
        {target + writer.note(variable->name + "_next", value, object.range), object.range});
  }
  return lines;
}

Status declare(std::vector<PartVariable>& variables, bool by_block, Block& block, Writer& writer,
               std::map<ObjectId, Layout>& layouts, std::vector<ObjectId>& ids) {
  for (PartVariable& variable : variables) {
    if (variable.kind != Kind::kInteger && !by_block) {
      variable.layout = warpgroup_layout(variable);
    }
    WS_TRY(const ObjectId id, block.declare_part(variable));
    ids.push_back(id);
    if (variable.kind == Kind::kInteger) {
      continue;
    }
    writer.know(id, variable.name);
    if (variable.layout.places.empty()) {
      continue;
    }
    layouts[id] = variable.layout;
    const std::size_t slots = block.objects()[static_cast<std::size_t>(id)].leaves.size();
    if (layouts[id].places.size() != slots * (variable.kind == Kind::kOperands ? 2 : 1)) {
      return fail(ErrorCode::kUnsupported,
                  "`" + variable.name + "` has more registers than its tile has places");
    }
  }
  return {};
}

}  // namespace

Layout warpgroup_layout(const PartVariable& variable) {
  Layout layout{kProductRows, variable.kind == Kind::kRows ? 1 : variable.cols, {}};
  const std::int64_t slots = variable.kind == Kind::kRows ? 2 : variable.cols / 2;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    std::vector<std::int64_t>& places = layout.places.emplace_back();
    for (std::int64_t lane = 0; lane < static_cast<std::int64_t>(kThreads); ++lane) {
      std::int64_t row = first_row(lane);
      std::int64_t col = 0;
      if (variable.kind == Kind::kRows) {
        row += slot * 8;
      } else if (variable.kind == Kind::kSums) {
        const std::int64_t own = slot % (variable.block / 2);
        row += own % 4 / 2 * 8;
        col = slot / (variable.block / 2) * variable.block + own / 4 * 8 + lane % 4 * 2 + own % 2;
      } else {
        // Eight halves for a step of 16 columns: two neighbours in each of four registers.
        row += slot % 4 / 2 * 8;
        col = slot / 8 * 16 + slot % 8 / 4 * 8 + lane % 4 * 2 + slot % 2;
      }
      places.push_back(row * layout.cols + col);
    }
  }
  return layout;
}

Result<LiftedPart> lift_part(const Tree& tree, const LaunchInput& input, Symbols& symbols,
                             const SharedArrays& arrays, Part part,
                             std::map<std::string, Layout>& shown) {
  LaunchInput own = input;
  if (!part.block) {
    own.block = {static_cast<std::int64_t>(kThreads), 1, 1};
    own.warpgroup = symbols.intern("wg");
  }
  Terms terms(own.threads());
  std::map<ObjectId, Layout> layouts;
  Writer writer(terms, symbols, own, layouts, tree.regions);
  Block block(tree, own, terms, symbols, writer, nullptr);
  writer.watch(block.objects());
  writer.reserve(part.taken);
  WS_CHECK(block.begin_part(arrays));
  std::vector<ObjectId> ids;
  WS_CHECK(declare(part.variables, part.block, block, writer, layouts, ids));
  std::vector<std::vector<Leaf>> before;
  before.reserve(ids.size());
  for (const ObjectId id : ids) {
    before.push_back(block.objects()[static_cast<std::size_t>(id)].leaves);
  }
  WS_CHECK(block.run_part(part.statements));
  WS_TRY(const std::vector<Changed> changed, changed_variables(part.variables, ids, before, block));
  LiftedPart made;
  if (!block.copies().empty()) {
    WS_TRY(const std::vector<std::string> others, writer.lines());
    if (!changed.empty() || !others.empty()) {
      return fail(ErrorCode::kUnsupported, "copies by threads between other statements");
    }
    WS_TRY(made.orders, writer.copies(block.copies(), part.range));
  }
  for (const auto& [variable, id] : changed) {
    if (!layouts.contains(id)) {
      const Object& object = block.objects()[static_cast<std::size_t>(id)];
      if (auto found = layout_of_products(object.leaves, terms, block.objects(), layouts)) {
        shown[variable->name] = *found;
        layouts[id] = *std::move(found);
      }
    }
  }
  WS_TRY(const std::vector<PartLine> assigned,
         assignments(changed, part.range, block, terms, writer));
  WS_TRY(const std::vector<std::string> lines, writer.lines());
  for (const std::string& line : lines) {
    made.lines.push_back({line, {}});
  }
  made.lines.insert(made.lines.end(), assigned.begin(), assigned.end());
  made.stored = writer.stored();
  return made;
}

}  // namespace ws::lift
