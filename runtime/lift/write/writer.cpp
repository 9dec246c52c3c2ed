// The program around the expressions: barriers, loops and their variables.
#include "runtime/lift/write/writer.h"

#include <sstream>

#include "runtime/ir/syntax/printer.h"
#include "runtime/ir/syntax/tree_queries.h"
#include "runtime/lift/program_head.h"
#include "runtime/lift/write/uniform_condition.h"

namespace ws::lift {
namespace {

Status check_length(std::size_t bytes) {
  return bytes <= ir::kMaxProgramBytes
             ? Status()
             : fail(ErrorCode::kUnsupported,
                    "a program of " + std::to_string(bytes) + " bytes: at most " +
                        std::to_string(ir::kMaxProgramBytes) + " are allowed");
}

}  // namespace

Status Writer::store(const StoreGroup& group) {
  return stores_.store(group);
}

Result<std::optional<Logical>> Writer::stage(const StoreGroup& group) {
  return stores_.stage(group);
}

Status Writer::sync(const Range& range) {
  on_.statements.sync(range);
  return {};
}

Status Writer::leave(TermId condition, const Range& range) {
  WS_TRY(const ir::ExprId holds, uniform_condition(on_, condition));
  return on_.statements.leave(holds, range);
}

Status Writer::begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) {
  names_.forget();
  for (const Update& update : initial) {
    WS_TRY(const Assignment made, assignments_.make(update.object, update.now));
    if (!ir::is_same(on_.tree.program(), made.value, made.target)) {
      on_.statements.assign(made.target, made.value, &made.range);
    }
    names_.drop(update.object);
  }
  for (const Update& update : initial) {
    variables_.set_version(update.object, update.version);
  }
  names_.forget();
  const ir::ExprId total = on_.polys.of(loop.total);
  const bool single = loop.step.number() == 1;
  const ir::ExprId rounds =
      single ? total : on_.tree.call(ir::Op::kCdiv, {total, on_.polys.of(loop.step)});
  return on_.statements.open_loop(loop.variable, on_.tree.call(ir::Op::kRange, {rounds}),
                                  loop.range);
}

Status Writer::update(const std::vector<Update>& updates, const Range&) {
  std::vector<Assignment> all;
  for (const Update& update : updates) {
    WS_TRY(const Assignment made, assignments_.make(update.object, update.now));
    all.push_back(made);
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Layout& layout = on_.layouts.at(updates[i].object);
    variables_.set_version(updates[i].object, updates[i].version);
    names_.hold(updates[i].object, {all[i].key, layout.rows, layout.cols, all[i].target});
  }
  assignments_.write(std::move(all));
  return {};
}

Status Writer::end_loop() {
  names_.forget();
  names_.drop_all();
  on_.statements.close_loop();
  return {};
}

Result<ir::ExprId> Writer::value(ObjectId id, const std::vector<TermId>& now) {
  WS_TRY(const Assignment made, assignments_.make(id, now));
  WS_CHECK(ir::TreeBuilder::check(made.value));
  return made.value;
}

std::string Writer::note(const std::string& wanted, ir::ExprId value, const Range& range) {
  std::string name = on_.statements.fresh_name(wanted);
  on_.statements.assign(on_.tree.name(name), value, &range);
  return name;
}

Result<std::vector<std::string>> Writer::lines() const {
  WS_CHECK(on_.tree.check_body(on_.statements.body()));
  std::vector<std::string> lines;
  for (const ir::StmtId id : on_.statements.body()) {
    std::istringstream text(ir::print_stmt(on_.tree.program(), id, 0));
    for (std::string line; std::getline(text, line);) {
      lines.push_back(line.substr(line.find_first_not_of(' ')));
    }
  }
  return lines;
}

Result<std::string> Writer::program(const std::string& name) {
  ir::Method init = init_method(on_.tree, on_.input);
  const std::vector<ir::StmtId>& allocations = stores_.allocations();
  init.body.insert(init.body.end(), allocations.begin(), allocations.end());
  ir::Method run;
  run.name = "run";
  run.body = on_.statements.body();
  if (run.body.empty()) {
    run.body.push_back(on_.tree.pass());
  }
  WS_CHECK(on_.tree.check_body(init.body));
  WS_CHECK(on_.tree.check_body(run.body));
  // Nodes that are printed often could make a text that no memory holds.
  WS_CHECK(check_length(on_.tree.bytes(init.body, 2) + on_.tree.bytes(run.body, 2)));
  std::string text = ir::print(on_.tree.finish(name, {std::move(init), std::move(run)}));
  WS_CHECK(check_length(text.size()));
  return text;
}

}  // namespace ws::lift
