// The values that a warpgroup's threads compute between two synchronisations. Where they are
// understood there is no hole.
#include <algorithm>
#include <iterator>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/part.h"
#include "runtime/lift/orchestration/scratch.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {

/// Adds a variable, after those that it was made from.
void Skeleton::add_variable(VariableId id, const Hole& hole, std::vector<PartVariable>& all) const {
  const Variable& variable = tree_.variable(id);
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const PartVariable& one) { return one.id == id; });
  if (known || variable.space != Space::kLocal || holes_.declares(id)) {
    return;
  }
  PartVariable made;
  made.id = id;
  made.name = texts_.variable(id);
  made.known = !draft_.is_unknown(made.name);
  const Fragment* const fragment = tiles_.find(made.name);
  const std::optional<std::int64_t> rows = tiles_.rows(made.name);
  const Type* type = variable.type == kNone ? nullptr : &tree_.type(variable.type);
  while (type != nullptr && type->kind == TypeKind::kArray && type->element != kNone) {
    type = &tree_.type(type->element);
  }
  const bool numbers = type != nullptr && type->kind == TypeKind::kFloat &&
                       tree_.type(variable.type).kind == TypeKind::kArray;
  if (fragment != nullptr) {
    made.kind =
        fragment->type == DType::kF32 ? PartVariable::Kind::kSums : PartVariable::Kind::kOperands;
    made.cols = fragment->cols * std::max<std::int64_t>(fragment->parts, 1);
    made.block = fragment->cols;
    made.type = fragment->type;
    made.layout = fragment->layout;
  } else if (rows) {
    made.kind = PartVariable::Kind::kRows;
    made.layout = tiles_.rows_layout(*rows).value_or(Layout());
  } else if (numbers && by_block()) {
    // If it is one, the products show where it lies: all that a first walk is to find out.
    made.kind = PartVariable::Kind::kSums;
    made.known = made.known || !tiles_.are_known();
  } else {
    const NodeId initial = facts_.initial(id);
    made.known = draft_.is_integer(made.name);
    const bool lasting = initial != kNone && !values_.changes(id) &&
                         (is_lasting(initial) || is_unchanged(id, initial));
    if (lasting) {
      made.initial = initial;
      add_variables(initial, hole, all);
    }
    if (!lasting && !holes_.nodes().empty()) {
      made.value = by_thread(id);
    }
  }
  all.push_back(std::move(made));
}

/// The value that each thread has at the open hole for a variable that has changed, by the thread's
/// number in its warpgroup; nothing when it is not known, or does not depend on the number alone.
std::optional<Poly> Skeleton::by_thread(VariableId id) const {
  const std::optional<Lanes> all = values_.variable(id, holes_.nodes().front());
  if (!all || by_block()) {
    return all ? std::optional(Poly(*all)) : std::nullopt;
  }
  const Role& role = draft_.role();
  const auto at = [&](int group, std::size_t lane) {
    return lane_of(*all, static_cast<std::size_t>(group) * kWarpgroupThreads + lane);
  };
  if (role.numbers.empty() || role.kind != WorkerKind::kWarpgroup) {
    return std::nullopt;
  }
  const int first = role.numbers.front();
  const std::int64_t step = role.numbers.size() > 1 ? at(first + 1, 0) - at(first, 0) : 0;
  Lanes lanes(kWarpgroupThreads);
  for (std::size_t lane = 0; lane < kWarpgroupThreads; ++lane) {
    lanes[lane] = at(first, lane) - step * first;
    for (const int group : role.numbers) {
      if (at(group, lane) != lanes[lane] + step * group) {
        return std::nullopt;
      }
    }
  }
  return Poly(lanes).plus(Poly::of(symbols_.intern("wg")), step);
}

/// Whether what a variable was declared with is still the same: it needs none that changes, or
/// whose value for each thread is known to be the same at the open hole.
bool Skeleton::is_lasting(NodeId id) const {
  const Node& node = tree_.node(id);
  const auto is_same = [&] {
    const std::optional<Lanes> then = values_.variable(node.index, id);
    return then && !holes_.nodes().empty() &&
           then == values_.variable(node.index, holes_.nodes().front());
  };
  return (node.kind != NodeKind::kVariable || !values_.changes(node.index) || is_same()) &&
         std::all_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return is_lasting(kid); });
}

/// Whether nothing that a pointer was made from has changed since, in the block that it stands in.
bool Skeleton::is_unchanged(VariableId id, NodeId initial) const {
  const auto found = declared_at_.find(id);
  if (found == declared_at_.end() || !(found->second.place == draft_.place())) {
    return false;
  }
  const std::vector<std::string>& lines = draft_.lines();
  for (std::size_t i = found->second.line; i < lines.size(); ++i) {
    const std::string target = lines[i].substr(0, lines[i].find('='));
    if (mentions(initial, target)) {
      return false;
    }
  }
  return true;
}

/// Whether one of the variables in `id` is a word of `text`.
bool Skeleton::mentions(NodeId id, const std::string& text) const {
  const Node& node = tree_.node(id);
  const std::string name = node.kind == NodeKind::kVariable ? texts_.variable(node.index) : "";
  for (std::size_t at = name.empty() ? text.npos : text.find(name); at != text.npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return std::any_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return mentions(kid, text); });
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

/// Why the open hole cannot be values of tiles, by a warpgroup or by the block; empty: it may be.
std::string Skeleton::why_no_values(const Hole& hole) const {
  const bool warpgroup =
      draft_.role().kind == WorkerKind::kWarpgroup && texts_.depth() == 1 && multiplicity() == 128;
  const bool tiles = by_block() && tiles_.has_block_tiles();
  if (!tiles_.are_known()) {
    return "no product says yet how registers hold tiles";
  }
  if (!warpgroup && !tiles) {
    return kNoTiles;
  }
  for (const std::string& output : hole.outputs) {
    if (output.find('.') == std::string::npos && !tiles_.contains(output) && !tiles_.rows(output)) {
      return "`" + output + "` is used behind it, and is neither a tile nor a number for each row";
    }
  }
  return {};
}

/// Writes the open hole's statements, or a cooperation one, as values, stores, copies or products.
/// @return Empty where that is done; else why they stay a hole.
std::string Skeleton::compute(const Hole& hole, Cooperation cooperation) {
  if (cooperation == Cooperation::kNothing) {
    if (std::string why = why_no_values(hole); !why.empty()) {
      return why;
    }
  }
  Part part;
  const std::set<NodeId> scratch = scratch_of(tree_, facts_, values_, holes_.nodes());
  part.statements.assign(scratch.begin(), scratch.end());
  std::ranges::copy_if(holes_.nodes(), std::back_inserter(part.statements),
                       [&](NodeId id) { return !scratch.contains(id); });
  part.block = by_block();
  part.range = hole.range;
  for (const NodeId id : holes_.nodes()) {
    add_variables(id, hole, part.variables);
  }
  std::erase_if(part.variables, [&](const PartVariable& one) {
    return scratch.contains(facts_.declaration(one.id));
  });
  part.taken = draft_.taken();
  for (const PartVariable& variable : part.variables) {
    part.taken.insert(variable.name);
  }
  std::map<std::string, Layout> shown;
  const Result<LiftedPart> made =
      lift_part(tree_, input_, symbols_, buffers_.all(), std::move(part), shown);
  for (const auto& [name, layout] : shown) {
    tiles_.set_layout(name, layout);
  }
  if (!made) {
    note_refusal(hole.range, made.error().message);
    return made.error().message;
  }
  if (const std::string name = buffers_.keep_orders(made->orders); !name.empty()) {
    refusal_ = "`" + name + "` is permuted in two ways";
    return refusal_;
  }
  for (const std::string& name : made->stored) {
    if (buffers_.has_swizzle(name)) {
      return "`" + name + "` is filled row by row, and TMA takes it with a swizzle";
    }
    buffers_.use(name);
  }
  for (const PartLine& one : made->lines) {
    draft_.line(one.text, one.range);
  }
  for (const std::string& output : hole.outputs) {
    draft_.set_known(output);
  }
  return {};
}

}  // namespace ws::lift
