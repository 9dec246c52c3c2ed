// The program around the expressions: stores, copies, barriers, loops and their variables.
#include "runtime/lift/write/writer.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

constexpr std::size_t kIndent = 4;

}  // namespace

std::string Writer::mark(const Range& range) const {
  if (range.line <= 0 || range.region == kNone) {
    return {};
  }
  return "  # @ " + regions_[static_cast<std::size_t>(range.region)] + ":" +
         std::to_string(range.line) + "-" + std::to_string(std::max(range.line, range.end_line));
}

void Writer::line(const std::string& text, const Range* range) {
  lines_.push_back(std::string(kIndent * static_cast<std::size_t>(indent_), ' ') + text +
                   (range == nullptr ? "" : mark(*range)));
}

std::string Writer::fresh_name(const std::string& wanted) {
  std::string name = wanted;
  // Operations of CuIR, and what the program itself has.
  for (int i = 1; used_names_.contains(name); ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  used_names_.insert(name);
  return name;
}

std::string Writer::name_of(ObjectId id) {
  const auto known = names_.find(id);
  if (known != names_.end()) {
    return known->second;
  }
  const Object& named = object(id);
  // A variable of a kernel may be called as an operation is: `sum`, `max`.
  const std::string name =
      fresh_name(named.kind == ObjectKind::kLocal ? named.name + "_" : named.name);
  return names_[id] = (named.kind == ObjectKind::kShared ? "self." : "") + name;
}

Range Writer::range_of(const StoreGroup& group) {
  Range range;
  for (const StoreEvent& event : group.events) {
    widen(range, event.range);
  }
  return range;
}

Status Writer::sync(const Range& range) {
  // Barriers with nothing between them are one: of a reduction that became an operation.
  if (!syncs_.empty() && lines_.size() == after_sync_) {
    widen(syncs_.back(), range);
    lines_.pop_back();
  } else {
    syncs_.push_back(range);
  }
  line("cta_sync()", &syncs_.back());
  after_sync_ = lines_.size();
  return {};
}

/// Whether an element of an object is in a value.
bool Writer::reads(TermId value, ObjectId id, std::set<TermId>& seen) const {
  if (value == kNone || !seen.insert(value).second) {
    return false;
  }
  const Term& term = terms_.at(value);
  if (term.kind == TermKind::kLoad && term.object == id) {
    return true;
  }
  return std::ranges::any_of(term.args, [&](TermId arg) { return reads(arg, id, seen); }) ||
         std::ranges::any_of(term.masks, [&](TermId mask) { return reads(mask, id, seen); }) ||
         std::ranges::any_of(term.sources,
                             [&](const Ref& source) { return reads(source.term, id, seen); });
}

/// Whether its stores may be written one after the other: none needs what another one replaces, and
/// no two threads write the same element.
bool Writer::is_separable(const StoreGroup& group) const {
  std::set<TermId> seen;
  std::map<std::uint64_t, std::size_t> writers;
  for (const StoreEvent& event : group.events) {
    if (reads(event.value, group.object, seen)) {
      return false;
    }
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      const bool writes = lane_of(event.active, lane) != 0;
      if (writes && writers.emplace(hash_of(event.offset, lane), lane).first->second != lane) {
        return false;
      }
    }
  }
  return true;
}

Status Writer::store(const StoreGroup& group) {
  const std::size_t lines = lines_.size();
  Status done =
      object(group.object).kind == ObjectKind::kShared ? store_array(group) : store_tensor(group);
  const std::size_t half = group.events.size() / 2;
  if (done || half == 0 || !is_separable(group)) {
    return done;
  }
  // Rounds of an unrolled loop may each store a tile of their own.
  lines_.resize(lines);
  hoisted_.clear();
  const auto middle = group.events.begin() + static_cast<std::ptrdiff_t>(half);
  const bool stored = store({group.object, group.atomic, {group.events.begin(), middle}}) &&
                      store({group.object, group.atomic, {middle, group.events.end()}});
  return stored ? Status() : done;
}

/// A tile of global memory, or elements by their indices.
Status Writer::store_tensor(const StoreGroup& group) {
  const TensorInput& tensor = input_.tensors[object(group.object).tensor];
  const auto made = tiles_.tile_of(tensor, group);
  if (made) {
    return store_tile(group, made->first, made->second, range_of(group));
  }
  const std::optional<TensorInput> rows = Tiles::as_rows(tensor);
  const auto flat = rows && group.atomic.empty() ? tiles_.tile_of(*rows, group) : made;
  if (!flat) {
    return fail(made.error());
  }
  WS_TRY(Text value, expression(flat->first));
  value = whole(std::move(value), flat->first.rows, flat->first.cols);
  return scatter(group, flat->first, value, range_of(group));
}

/// A tile of an array in shared memory.
Status Writer::store_array(const StoreGroup& group) {
  const Object& array = object(group.object);
  const Range range = range_of(group);
  TensorInput as_tensor;
  as_tensor.name = array.name;
  as_tensor.type = array.element;
  for (const std::int64_t dim : array.dims) {
    as_tensor.shape.push_back(Poly(dim));
  }
  WS_TRY(const auto made, tiles_.tile_of(as_tensor, group));
  const auto& [tile, spot] = made;
  WS_TRY(Text value, expression(tile));
  value = whole(std::move(value), tile.rows, tile.cols);
  std::vector<std::size_t> kept;
  const std::string target = slice("self." + array.name, spot, tile, kept);
  if (kept.size() != 2) {
    return fail(ErrorCode::kUnsupported, "`" + array.name + "` is filled by single rows");
  }
  stored_.insert("self." + array.name);
  line(target + " = " + value.text, &range);
  return {};
}

Status Writer::store_tile(const StoreGroup& group, const Tile& tile, const Spot& spot,
                          const Range& range) {
  const TensorInput& tensor = input_.tensors[object(group.object).tensor];
  bool masked = false;
  bool edges = true;
  for (const StoreEvent& event : group.events) {
    masked = masked || !event.masks.empty();
    const auto index = tiles_.coordinates(tensor, event.offset);
    for (const TermId mask : event.masks) {
      const auto dim = index ? tiles_.edge_of(mask, *index, tensor) : std::nullopt;
      // Atomic operations have no form by index: a tile is all that there is.
      edges = edges && dim && (!group.atomic.empty() || only_cuts(spot, *dim));
    }
  }
  WS_TRY(Text value, expression(tile));
  value = whole(std::move(value), tile.rows, tile.cols);
  const std::string name = "self." + tensor.name;
  const std::optional<std::string> index = tile_index(spot, tile);
  const bool plain = group.atomic.empty();
  if (edges && index && (masked || !plain)) {
    const std::string text = spot.first.size() == 2 ? value.text
                                                    : "reshape(" + value.text + ", " +
                                                          shape_text(spot, tile) + ", \"row\")";
    line((plain ? "store" : group.atomic) + "(" + name + ", " + *index + ", " + text + ")", &range);
    return {};
  }
  if (!plain) {
    return fail(ErrorCode::kUnsupported, "an atomic operation on elements that are no tile");
  }
  if (!masked && (spot.row_dim != Spot::kNoDim || spot.col_dim != Spot::kNoDim)) {
    std::vector<std::size_t> kept;
    const std::string target = slice(name, spot, tile, kept);
    const std::string flat =
        "reshape(" + value.text + ", (" + std::to_string(tile.rows * tile.cols) + ",), \"row\")";
    line(target + " = " + (kept.size() == 2 ? value.text : flat), &range);
    return {};
  }
  return scatter(group, tile, value, range);
}

/// The sizes of a tile in each dimension of its tensor.
std::string Writer::shape_text(const Spot& spot, const Tile& tile) {
  std::string shape;
  for (std::size_t dim = 0; dim < spot.first.size(); ++dim) {
    shape += dim == spot.row_dim   ? std::to_string(tile.rows) + ", "
             : dim == spot.col_dim ? std::to_string(tile.cols) + ", "
                                   : "1, ";
  }
  return "(" + shape + ")";
}

/// Element by element, by index and mask.
Status Writer::scatter(const StoreGroup& group, const Tile& tile, const Text& value,
                       const Range& range) {
  std::map<std::pair<TermId, std::int32_t>, const StoreEvent*> events;
  for (const StoreEvent& event : group.events) {
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      const bool writes = lane_of(event.active, lane) != 0;
      if (writes &&
          !events.emplace(std::pair(event.value, static_cast<std::int32_t>(lane)), &event).second) {
        return fail(ErrorCode::kUnsupported,
                    "one value is written to several places that are no tile");
      }
    }
  }
  std::vector<std::vector<TermId>> masks;
  std::vector<const Poly*> offsets;
  for (const Ref& point : tile.points) {
    const StoreEvent& event = *events.at({point.term, point.lane});
    offsets.push_back(&event.offset);
    masks.push_back(event.masks);
  }
  WS_TRY(Text at, integer(tile, offsets));
  at.type = DType::kI32;
  std::string text = "scatter(self." + input_.tensors[object(group.object).tensor].name + ", " +
                     whole(at, tile.rows, tile.cols).text + ", " + value.text;
  if (!masks[0].empty()) {
    WS_TRY(const Text holds, conditions(tile, masks));
    text += ", " + whole(holds, tile.rows, tile.cols).text;
  }
  line(text + ")", &range);
  return {};
}

Result<std::optional<Logical>> Writer::stage(const StoreGroup& group) {
  Tile tile;
  WS_TRY(std::optional<Logical> logical, tiles_.logical_of(group, *objects_, tile));
  const auto sizes = std::pair(tile.rows, tile.cols);
  const auto known = shared_.find(group.object);
  if (!logical || (known != shared_.end() && known->second != sizes)) {
    return std::optional<Logical>();
  }
  const Range range = range_of(group);
  WS_TRY(Text value, expression(tile));
  const std::string name = name_of(group.object);
  if (known == shared_.end()) {
    shared_[group.object] = sizes;
    allocations_.push_back(name + " = alloc((" + std::to_string(tile.rows) + ", " +
                           std::to_string(tile.cols) + "), \"shared\", \"" +
                           std::string(ws::name_of(object(group.object).element)) + "\")" +
                           mark(object(group.object).range));
  }
  line("copy(" + name + ", " + whole(std::move(value), tile.rows, tile.cols).text + ")", &range);
  return logical;
}

/// The new value of a variable, as a tile.
Result<Writer::Assignment> Writer::assign(ObjectId id, const std::vector<TermId>& now) {
  const auto found = layouts_.find(id);
  if (found == layouts_.end()) {
    return fail(ErrorCode::kUnsupported,
                "`" + object(id).name + "` changes in a loop in an unknown way");
  }
  const Layout& layout = found->second;
  Tile tile{layout.rows, layout.cols,
            std::vector<Ref>(static_cast<std::size_t>(layout.rows * layout.cols))};
  for (std::size_t slot = 0; slot < layout.places.size() && slot < now.size(); ++slot) {
    for (std::size_t lane = 0; lane < layout.places[slot].size(); ++lane) {
      const std::int64_t place = layout.places[slot][lane];
      if (place < 0) {
        continue;
      }
      Ref& point = tile.points[static_cast<std::size_t>(place)];
      const Ref own{now[slot], static_cast<std::int32_t>(lane)};
      if (point.term != kNone && terms_.value_hash(point) != terms_.value_hash(own)) {
        return fail(ErrorCode::kUnsupported,
                    "`" + object(id).name + "` differs between threads that share a row");
      }
      if (point.term == kNone || !terms_.reads_as_much(point, own)) {
        point = own;
      }
    }
  }
  if (now.empty() || std::any_of(tile.points.begin(), tile.points.end(),
                                 [](const Ref& point) { return point.term == kNone; })) {
    return fail(ErrorCode::kUnsupported, "`" + object(id).name + "` has no value before the loop");
  }
  const DType type = terms_.at(now[0]).type;
  const std::uint64_t key = tile_hash(tile);
  open_.emplace_back();
  top_ = true;
  Result<Text> value = expression(tile);
  top_ = false;
  const Range range = open_.back().line > 0 ? open_.back() : object(id).last;
  open_.pop_back();
  WS_TRY(Text made, std::move(value));
  Assignment all{name_of(id), "", range, 0};
  if (!made.number && made.rows == layout.rows && made.cols == layout.cols) {
    all.key = key;
  }
  const std::string shape =
      "(" + std::to_string(layout.rows) + ", " + std::to_string(layout.cols) + "), ";
  const std::string type_text = "\"" + std::string(ws::name_of(type)) + "\"";
  if (made.number) {
    made.text = made.zero ? "zeros(" + shape + type_text + ")"
                          : "full(" + shape + made.text + ", " + type_text + ")";
  } else {
    made = whole(std::move(made), layout.rows, layout.cols);
  }
  all.value = std::move(made.text);
  return all;
}

Status Writer::begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) {
  hoisted_.clear();
  for (const Update& update : initial) {
    WS_TRY(const Assignment made, assign(update.object, update.now));
    if (made.value != made.target) {
      line(made.target + " = " + made.value, &made.range);
    }
    held_.erase(update.object);
  }
  for (const Update& update : initial) {
    versions_[update.object] = update.version;
  }
  hoisted_.clear();
  const bool single = loop.step.number() == 1;
  const std::string total = symbols_.text_of(loop.total);
  line("for " + loop.variable + " in range(" +
           (single ? total : "cdiv(" + total + ", " + symbols_.text_of(loop.step) + ")") + "):",
       &loop.range);
  loop_bodies_.push_back(lines_.size());
  ++indent_;
  return {};
}

Status Writer::update(const std::vector<Update>& updates, const Range&) {
  std::vector<Assignment> all;
  for (const Update& update : updates) {
    WS_TRY(Assignment made, assign(update.object, update.now));
    all.push_back(std::move(made));
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Layout& layout = layouts_.at(updates[i].object);
    versions_[updates[i].object] = updates[i].version;
    held_[updates[i].object] = {all[i].key, layout.rows, layout.cols, all[i].target};
  }
  write_assignments(std::move(all));
  return {};
}

Status Writer::end_loop() {
  hoisted_.clear();
  held_.clear();
  --indent_;
  if (lines_.size() == loop_bodies_.back()) {
    lines_.pop_back();  // Nobody needs what it computes.
  } else {
    after_sync_ = kNoLines;  // A barrier at the end of a round is one of that round.
  }
  loop_bodies_.pop_back();
  return {};
}

Result<std::string> Writer::program(const std::string& name) const {
  std::string text = program_head(name, input_);
  for (const std::string& allocation : allocations_) {
    text += "        " + allocation + "\n";
  }
  text += "\n    def run(self):\n";
  for (const std::string& one : lines_) {
    text += one + "\n";
  }
  text += lines_.empty() ? "        pass\n" : "";
  if (text.size() > ir::kMaxProgramBytes) {
    return fail(ErrorCode::kUnsupported, "a program of " + std::to_string(text.size()) +
                                             " bytes: at most " +
                                             std::to_string(ir::kMaxProgramBytes) + " are allowed");
  }
  Result<ir::Program> parsed = ir::parse_program(text);
  if (!parsed) {
    return fail(ErrorCode::kInternal,
                "the lifted program does not parse: " + parsed.error().message,
                parsed.error().hint);
  }
  return ir::print(*parsed);
}

}  // namespace ws::lift
