#include "runtime/ir/translation/facts.h"

#include <algorithm>
#include <iterator>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/translation/facts_impl.h"

namespace ws::ir {

std::vector<Fact> FactFinder::run() {
  if (const Method* run = program_.find_method("run")) {
    for (const Expr& expr : program_.exprs) {
      if (expr.kind == ExprKind::kName) {
        ++uses_[expr.text];
      }
    }
    block(run->body);
  }
  return std::move(facts_);
}

void FactFinder::block(const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    statement(program_.stmt(id));
  }
}

void FactFinder::statement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::kAssign:
    case StmtKind::kAugment:
      assign(stmt);
      break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
      loop(stmt);
      break;
    case StmtKind::kIf:
      for (const Arm& arm : stmt.arms) {
        if (arm.condition != kNoExpr) {
          eval(arm.condition);
        }
        block(arm.body);
      }
      for (const Arm& arm : stmt.arms) {
        forget(arm.body);
      }
      break;
    default:
      if (stmt.value != kNoExpr) {
        eval(stmt.value);
      }
  }
}

void FactFinder::assign(const Stmt& stmt) {
  Seen value = eval(stmt.value);
  for (const ExprId target : stmt.targets) {
    const std::string& name = program_.expr(target).text;
    if (stmt.kind == StmtKind::kAugment) {
      value.position.reset();
      join(value, names_[name]);
    }
    names_[name] = value;
    const Expr& at = program_.expr(target);
    if (carried_.contains(name) && type(stmt.value).is_tile()) {
      const bool plain = program_.expr(stmt.value).kind == ExprKind::kName;
      add(FactKind::kCarried, at, plain ? "a name" : "a value", shape_text(type(stmt.value).shape));
    }
    if (uses_[name] == 1) {
      add(FactKind::kUnused, at, {}, {});
    }
  }
}

void FactFinder::join(Seen& into, const Seen& from) {
  into.tensors.insert(from.tensors.begin(), from.tensors.end());
  into.origins.insert(from.origins.begin(), from.origins.end());
  into.computed = std::max(into.computed, from.computed);
}

void FactFinder::loop(const Stmt& stmt) {
  const Arm& arm = stmt.arms.front();
  forget(arm.body);
  ++loops_;
  if (stmt.kind == StmtKind::kFor && program_.expr(stmt.value).kind == ExprKind::kCall) {
    const Seen counter = counter_of(program_.expr(stmt.value));
    names_[program_.expr(stmt.targets.front()).text] = counter;
  } else {
    eval(stmt.value);
  }
  std::set<std::string> set;
  std::set<std::string> read;
  collect(arm.body, set, read);
  std::set<std::string> carried;
  std::ranges::set_intersection(set, read, std::inserter(carried, carried.end()));
  carried_.swap(carried);
  block(arm.body);
  carried_.swap(carried);
  forget(arm.body);
}

void FactFinder::collect(const std::vector<StmtId>& body, std::set<std::string>& set,
                         std::set<std::string>& read) const {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    names_in(stmt.value, set, read);
    for (const Arm& arm : stmt.arms) {
      names_in(arm.condition, set, read);
      collect(arm.body, set, read);
    }
    for (const ExprId target : stmt.targets) {
      const std::string& name = program_.expr(target).text;
      if (stmt.kind == StmtKind::kAugment && !set.contains(name)) {
        read.insert(name);
      }
      set.insert(name);
    }
  }
}

void FactFinder::names_in(ExprId id, const std::set<std::string>& but,
                          std::set<std::string>& names) const {
  if (id == kNoExpr) {
    return;
  }
  const Expr& expr = program_.expr(id);
  if (expr.kind == ExprKind::kName && !but.contains(expr.text)) {
    names.insert(expr.text);
  }
  for (const ExprId kid : expr.kids) {
    names_in(kid, but, names);
  }
}

FactFinder::Seen FactFinder::counter_of(const Expr& over) {
  // range(last), range(first, last) or range(first, last, step)
  std::vector<Seen> bounds;
  for (std::size_t i = 1; i < over.kids.size(); ++i) {
    bounds.push_back(eval(over.kids[i]));
  }
  if (bounds.size() == 1) {
    bounds.insert(bounds.begin(), Seen{Position::of(0), {}, 0, {}});
  }
  if (bounds.size() == 2) {
    bounds.push_back({Position::of(1), {}, 0, {}});
  }
  const bool known = bounds.size() == 3 && bounds[0].position && bounds[2].position;
  const std::int64_t step = known ? bounds[2].position->number().value_or(0) : 0;
  if (step < 1) {
    add(FactKind::kLoop, over, {});
    return {};
  }
  const Position& first = *bounds[0].position;
  const std::optional<Position>& last = bounds[1].position;
  Seen rounds{last ? last->plus(first, -1) : std::nullopt, {}, bounds[1].computed, {}};
  if (rounds.position && step > 1) {
    const std::optional<std::int64_t> span = rounds.position->number();
    rounds.position = span ? std::optional(Position::of((*span + step - 1) / step)) : std::nullopt;
  }
  add_place(FactKind::kLoop, over, {}, {}, rounds);
  const std::string name = "round " + std::to_string(loops_);
  return {first.plus(Position::of(Atom{name, 0}), step), {}, 0, {{name, over.place.line}}};
}

void FactFinder::forget(const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    const Stmt& stmt = program_.stmt(id);
    for (const ExprId target : stmt.targets) {
      names_[program_.expr(target).text].position.reset();
    }
    for (const Arm& arm : stmt.arms) {
      forget(arm.body);
    }
  }
}

void FactFinder::add(FactKind kind, const Expr& at, std::string object, std::string detail) {
  facts_.push_back({kind, at.place.line, std::move(object), std::move(detail), std::nullopt});
}

void FactFinder::add_place(FactKind kind, const Expr& at, std::string object, std::string detail,
                           Seen seen) {
  if (seen.position && !seen.position->in_range()) {
    seen.position.reset();
  }
  facts_.push_back({kind, at.place.line, std::move(object), std::move(detail),
                    std::move(seen.position), seen.computed, std::move(seen.origins)});
}

Result<std::vector<Fact>> facts_of(const std::string& program, const FactsRequest& request) {
  WS_TRY(const Program tree, parse_program(program));
  Diagnostics diagnostics;
  std::vector<Type> types;
  if (!check(tree, request.args, diagnostics, &types)) {
    return fail(diagnostics.to_error(program));
  }
  return FactFinder(tree, types, request).run();
}

}  // namespace ws::ir
