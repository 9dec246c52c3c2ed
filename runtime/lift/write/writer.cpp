// The program around the expressions: barriers, loops and their variables.
#include "runtime/lift/write/writer.h"

#include <algorithm>
#include <sstream>

#include "runtime/ir/syntax/printer.h"
#include "runtime/ir/syntax/tree_queries.h"
#include "runtime/lift/program_head.h"

namespace ws::lift {
ir::ExprId Writer::name_of(ObjectId id) {
  const auto known = names_.find(id);
  if (known != names_.end()) {
    return known->second;
  }
  const Object& named = object(id);
  // A variable of a kernel may be called as an operation is: `sum`, `max`.
  const bool local = named.kind == ObjectKind::kLocal;
  const std::string name = statements_.fresh_name(local ? named.name + "_" : named.name);
  return names_[id] = named.kind == ObjectKind::kShared ? tree_.self(name) : tree_.name(name);
}

Status Writer::sync(const Range& range) {
  statements_.sync(range);
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
  Result<TileExpr> value = expression(tile);
  top_ = false;
  const Range range = open_.back().line > 0 ? open_.back() : object(id).last;
  open_.pop_back();
  WS_TRY(TileExpr made, std::move(value));
  Assignment all{name_of(id), ir::kNoExpr, range, 0};
  if (!made.number && made.rows == layout.rows && made.cols == layout.cols) {
    all.key = key;
  }
  if (!made.number) {
    all.value = whole(std::move(made), layout.rows, layout.cols).expr;
    return all;
  }
  const ir::ExprId shape = shape_expr(tree_, layout.rows, layout.cols);
  const ir::ExprId type_name = type_expr(tree_, type);
  all.value = made.zero ? tree_.call(ir::Op::kZeros, {shape, type_name})
                        : tree_.call(ir::Op::kFull, {shape, made.expr, type_name});
  return all;
}

Status Writer::begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) {
  hoisted_.clear();
  for (const Update& update : initial) {
    WS_TRY(const Assignment made, assign(update.object, update.now));
    if (!ir::is_same(tree_.program(), made.value, made.target)) {
      statements_.assign(made.target, made.value, &made.range);
    }
    held_.erase(update.object);
  }
  for (const Update& update : initial) {
    versions_[update.object] = update.version;
  }
  hoisted_.clear();
  const ir::ExprId total = polys_.of(loop.total);
  const bool single = loop.step.number() == 1;
  const ir::ExprId rounds =
      single ? total : tree_.call(ir::Op::kCdiv, {total, polys_.of(loop.step)});
  return statements_.open_loop(loop.variable, tree_.call(ir::Op::kRange, {rounds}), loop.range);
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
  statements_.close_loop();
  return {};
}

Result<std::vector<std::string>> Writer::lines() const {
  WS_CHECK(tree_.check_body(statements_.body()));
  std::vector<std::string> lines;
  for (const ir::StmtId id : statements_.body()) {
    std::istringstream text(ir::print_stmt(tree_.program(), id, 0));
    for (std::string line; std::getline(text, line);) {
      lines.push_back(line.substr(line.find_first_not_of(' ')));
    }
  }
  return lines;
}

namespace {

Status check_length(std::size_t bytes) {
  return bytes <= ir::kMaxProgramBytes
             ? Status()
             : fail(ErrorCode::kUnsupported,
                    "a program of " + std::to_string(bytes) + " bytes: at most " +
                        std::to_string(ir::kMaxProgramBytes) + " are allowed");
}

}  // namespace

Result<std::string> Writer::program(const std::string& name) {
  ir::Method init = init_method(tree_, input_);
  init.body.insert(init.body.end(), allocations_.begin(), allocations_.end());
  ir::Method run;
  run.name = "run";
  run.body = statements_.body();
  if (run.body.empty()) {
    run.body.push_back(tree_.pass());
  }
  WS_CHECK(tree_.check_body(init.body));
  WS_CHECK(tree_.check_body(run.body));
  // Nodes that are printed often could make a text that no memory holds.
  WS_CHECK(check_length(tree_.bytes(init.body, 2) + tree_.bytes(run.body, 2)));
  std::string text = ir::print(tree_.finish(name, {std::move(init), std::move(run)}));
  WS_CHECK(check_length(text.size()));
  return text;
}
}  // namespace ws::lift
