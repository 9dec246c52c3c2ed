// The program around the expressions: barriers, loops and their variables.
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
