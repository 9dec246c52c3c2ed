#include "runtime/lift/write/statements.h"

#include <algorithm>

namespace ws::lift {

void widen(Range& range, const Range& other) {
  if (range.line == 0 || range.region != other.region) {
    range = range.line == 0 ? other : range;
    return;
  }
  range.line = std::min(range.line, other.line);
  range.end_line = std::max(range.end_line, other.end_line);
}

std::string Statements::mark(const Range& range) const {
  if (range.line <= 0 || range.region == kNone) {
    return {};
  }
  return "# @ " + regions_[static_cast<std::size_t>(range.region)] + ":" +
         std::to_string(range.line) + "-" + std::to_string(std::max(range.line, range.end_line));
}

std::string Statements::fresh_name(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; names_.contains(name); ++i) {
    name = wanted + "_" + std::to_string(i);
  }
  names_.insert(name);
  return name;
}

void Statements::assign(ir::ExprId target, ir::ExprId value, const Range* range) {
  add(tree_.assignment(target, value, range == nullptr ? std::string() : mark(*range)));
}

void Statements::call(ir::ExprId value, const Range& range) {
  add(tree_.statement(value, mark(range)));
}

void Statements::sync(const Range& range) {
  // A reduction that became an operation leaves barriers of which only one is needed.
  const bool joined = !bodies_.back().empty() && bodies_.back().back() == barrier_;
  if (joined) {
    widen(synced_, range);
    bodies_.back().pop_back();
  } else {
    synced_ = range;
  }
  barrier_ = tree_.statement(tree_.call(ir::Op::kCtaSync, {}), mark(synced_));
  add(barrier_);
}

/// Whether a block more may be opened here: the body of `run` is one, too.
Status Statements::check_depth() const {
  return bodies_.size() < ir::kMaxBlockNesting
             ? Status()
             : fail(ErrorCode::kUnsupported, "loops that are nested more than " +
                                                 std::to_string(ir::kMaxBlockNesting - 1) +
                                                 " deep");
}

Status Statements::open_loop(const std::string& variable, ir::ExprId rounds, const Range& range) {
  WS_CHECK(check_depth());
  names_.insert(variable);
  loops_.push_back({variable, rounds, range});
  bodies_.emplace_back();
  return {};
}

bool Statements::close_loop() {
  std::vector<ir::StmtId> body = std::move(bodies_.back());
  const Loop loop = std::move(loops_.back());
  bodies_.pop_back();
  loops_.pop_back();
  if (body.empty()) {
    return false;
  }
  add(tree_.loop(loop.variable, loop.rounds, std::move(body), mark(loop.range)));
  return true;
}

Status Statements::leave(ir::ExprId condition, const Range& range) {
  WS_CHECK(check_depth());
  add(tree_.branch(condition, {tree_.leave()}, mark(range)));
  return {};
}

}  // namespace ws::lift
