// Statements: branches and loops are followed until what is known of every name stays the same.
#include <algorithm>

#include "runtime/ir/check/checker_impl.h"

namespace ws::ir {
namespace {

constexpr int kMaxLoopPasses = 6;

bool same(const Type& a, const Type& b) {
  return a.kind == b.kind && a.value == b.value && a.text == b.text && a.shape == b.shape &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same);
}

}  // namespace

Checker::End Checker::block(const std::vector<StmtId>& body) {
  for (const StmtId id : body) {
    if (diagnostics_.full() || statement(program_.stmt(id)) == End::kLeave) {
      return End::kLeave;
    }
  }
  return End::kNext;
}

Checker::End Checker::statement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::kExpr:
      eval_statement(stmt.value);
      return End::kNext;
    case StmtKind::kAssign: {
      const Type value = eval_statement(stmt.value);
      for (const ExprId target : stmt.targets) {
        assign(target, value);
      }
      return End::kNext;
    }
    case StmtKind::kAugment:
      augment(stmt);
      return End::kNext;
    case StmtKind::kIf:
      return branches(stmt);
    case StmtKind::kFor:
    case StmtKind::kWhile:
      loop(stmt);
      return End::kNext;
    case StmtKind::kReturn:
      returned_ = join(returned_, stmt.value == kNoExpr ? Type() : eval_statement(stmt.value));
      return End::kLeave;
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return End::kLeave;
    case StmtKind::kPass:
    case StmtKind::kImport:
      break;
  }
  return End::kNext;
}

void Checker::assign(ExprId target, const Type& value) {
  const Expr& expr = program_.expr(target);
  if (expr.kind == ExprKind::kName) {
    locals_[expr.text] = value;
  } else if (expr.kind == ExprKind::kAttribute) {
    assign_self(expr, value);
  } else if (expr.kind == ExprKind::kIndex) {
    assign_part(expr, value);
  } else if (value.kind != Kind::kTuple || value.items.size() != expr.kids.size()) {
    if (!is_broken(value)) {
      error(expr.place,
            std::to_string(expr.kids.size()) + " names for " +
                (value.kind == Kind::kTuple ? "a tuple of " + std::to_string(value.items.size())
                                            : describe(value)));
    }
    for (const ExprId kid : expr.kids) {
      assign(kid, broken());
    }
  } else {
    for (std::size_t i = 0; i < expr.kids.size(); ++i) {
      assign(expr.kids[i], value.items[i]);
    }
  }
}

void Checker::assign_self(const Expr& target, const Type& value) {
  const Expr& base = program_.expr(target.kids[0]);
  if (base.kind != ExprKind::kName || base.text != "self") {
    error(target.place, "only attributes of self can be assigned to");
  } else if (in_role_) {
    error(target.place, "self." + target.text + " is set by a role: all workers share self",
          "set it in __init__, or use a name of the method");
  } else if (program_.find_method(target.text) != nullptr) {
    error(target.place, "self." + target.text + " is a method");
  } else {
    self_[target.text] = value;
  }
}

void Checker::assign_part(const Expr& target, const Type& value) {
  const Type base = eval(target.kids[0]);
  if (is_broken(base) || is_broken(value)) {
    return;
  }
  if (base.kind != Kind::kBuffer) {
    error(target.place, "a part of " + describe(base) + " cannot be assigned to",
          base.kind == Kind::kTile ? "a tile is a value; alloc(..., \"register\", ...) can change"
                                   : "");
    return;
  }
  const Type part = index_of(target, base);
  if (is_broken(part)) {
    return;
  }
  const Result<Shape> shape = broadcast_shape(part.shape, value.shape);
  if ((!value.is_tile() && !value.is_number()) || !shape || *shape != part.shape) {
    error(target.place, describe(value) + " does not fit into " + to_text(part.shape));
  }
}

// On a buffer it changes the buffer: `acc *= 2` is `acc[:] = acc * 2`.
void Checker::augment(const Stmt& stmt) {
  const Expr& target = program_.expr(stmt.targets.front());
  if (target.kind == ExprKind::kTuple) {
    error(target.place, "several names on the left of " + std::string(info_of(stmt.op).text) + "=");
    return;
  }
  const Type before = eval(stmt.targets.front());
  const Type value = eval(stmt.value);
  if (is_broken(before) || is_broken(value)) {
    return;
  }
  const Result<Type> after = infer_binary(stmt.op, before, value);
  if (!after) {
    error(stmt.place, after.error());
  } else if (target.kind == ExprKind::kIndex) {
    assign_part(target, *after);
  } else if (before.kind != Kind::kBuffer) {
    assign(stmt.targets.front(), *after);
  } else if (after->shape != before.shape) {
    error(stmt.place, describe(*after) + " does not fit into " + to_text(before.shape));
  }
}

void Checker::join_into(Names& into, const Names& other) {
  for (const auto& [name, type] : other) {
    const auto [place, added] = into.try_emplace(name, type);
    if (!added) {
      place->second = join(place->second, type);
    }
  }
}

Checker::End Checker::branches(const Stmt& stmt) {
  const Names before = locals_;
  Names after;
  bool goes_on = false;
  bool open = true;  // No branch is certain to be taken so far.
  for (const Arm& arm : stmt.arms) {
    locals_ = before;
    const Type condition =
        arm.condition == kNoExpr ? Type::boolean(Affine(1)) : eval(arm.condition);
    if (condition.is_tile() || condition.kind == Kind::kString) {
      error(program_.expr(arm.condition).place, "the condition is " + describe(condition),
            "any(x, dim) and all(x, dim) reduce it; where(c, x, y) chooses element by element");
    }
    if (condition.constant() == 0) {
      continue;
    }
    if (block(arm.body) == End::kNext) {
      join_into(after, locals_);
      goes_on = true;
    }
    if (condition.constant()) {
      open = false;
      break;
    }
  }
  if (open) {
    join_into(after, before);
    goes_on = true;
  }
  locals_ = goes_on ? after : before;
  return goes_on ? End::kNext : End::kLeave;
}

void Checker::loop(const Stmt& stmt) {
  const Type over = eval(stmt.value);
  if (stmt.kind == StmtKind::kFor && over.kind != Kind::kRange) {
    if (!is_broken(over)) {
      error(program_.expr(stmt.value).place,
            "a loop goes through range(...), got " + describe(over));
    }
    return;
  }
  if (stmt.kind == StmtKind::kWhile && over.constant() == 0) {
    return;
  }
  for (int pass = 0; pass < kMaxLoopPasses; ++pass) {
    const Names before = locals_;
    if (stmt.kind == StmtKind::kFor) {
      assign(stmt.targets.front(), Type::integer(Affine::unknown()));
    } else {
      eval(stmt.value);
    }
    block(stmt.arms.front().body);
    join_into(locals_, before);
    const bool settled = std::all_of(before.begin(), before.end(), [&](const auto& entry) {
      return same(entry.second, locals_[entry.first]) ||
             (entry.second.kind == Kind::kInt && !entry.second.constant());
    });
    if (settled) {
      return;
    }
  }
}

}  // namespace ws::ir
