#include "runtime/lift/part.h"

#include <algorithm>

#include "runtime/lift/block.h"
#include "runtime/lift/writer.h"

namespace ws::lift {
namespace {

using Kind = PartVariable::Kind;

constexpr std::size_t kThreads = 128;

/// The row of a fragment that a thread's first registers belong to. PTX ISA: wgmma, register
/// fragments; others lie 8 rows below.
std::int64_t first_row(std::int64_t lane) {
  return lane / 32 * 16 + lane % 32 / 4;
}

/// Where each register of each thread lies in a tile.
Layout layout_of(const PartVariable& variable) {
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

/// The terms of a variable's registers; of those that hold two halves, both.
std::vector<TermId> terms_of(const Object& object, const PartVariable& variable, Terms& terms) {
  std::vector<TermId> now;
  for (const Leaf& leaf : object.leaves) {
    const bool pair = leaf.term != kNone && terms.at(leaf.term).kind == TermKind::kOperation &&
                      terms.at(leaf.term).op == kPackedPair;
    if (variable.kind != Kind::kOperands) {
      now.push_back(leaf.term);
    } else if (pair) {
      for (const TermId half : std::vector<TermId>(terms.at(leaf.term).args)) {
        now.push_back(terms.operation("to", variable.type, {half}));
      }
    } else {
      return {};
    }
  }
  return now;
}

}  // namespace

Result<std::vector<PartLine>> lift_part(const Tree& tree, const LaunchInput& input,
                                        Symbols& symbols, const std::vector<NodeId>& statements,
                                        const std::vector<PartVariable>& variables,
                                        const std::set<std::string>& taken) {
  LaunchInput own = input;
  own.block = {static_cast<std::int64_t>(kThreads), 1, 1};
  own.warpgroup = symbols.intern("wg");
  Terms terms(kThreads);
  std::map<ObjectId, Layout> layouts;
  Writer writer(terms, symbols, own, layouts, tree.regions);
  Block block(tree, own, terms, symbols, writer, nullptr);
  writer.watch(block.objects());
  writer.reserve(taken);
  WS_CHECK(block.begin_part());
  std::vector<ObjectId> ids;
  for (const PartVariable& variable : variables) {
    WS_TRY(const ObjectId id, block.declare_part(variable));
    ids.push_back(id);
    if (variable.kind != Kind::kInteger) {
      layouts[id] = layout_of(variable);
      const std::size_t slots = block.objects()[static_cast<std::size_t>(id)].leaves.size();
      if (layouts[id].places.size() != slots * (variable.kind == Kind::kOperands ? 2 : 1)) {
        return fail(ErrorCode::kUnsupported,
                    "`" + variable.name + "` has more registers than its tile has places");
      }
      writer.know(id, variable.name);
    }
  }
  WS_CHECK(block.run_part(statements));
  std::vector<PartLine> assignments;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const PartVariable& variable = variables[i];
    if (!variable.written || variable.kind == Kind::kInteger) {
      continue;
    }
    const Object& object = block.objects()[static_cast<std::size_t>(ids[i])];
    WS_TRY(const std::string value, writer.value(ids[i], terms_of(object, variable, terms)));
    // First all values, then who gets them: one may need what another was.
    const std::string name = writer.note(variable.name + "_next", value, object.range);
    assignments.push_back(
        {variable.name + (variable.kind == Kind::kRows ? " = " : "[:] = ") + name, object.range});
  }
  std::vector<PartLine> lines;
  for (const std::string& line : writer.lines()) {
    lines.push_back({line.substr(line.find_first_not_of(' ')), {}});
  }
  lines.insert(lines.end(), assignments.begin(), assignments.end());
  return lines;
}

}  // namespace ws::lift
