#include "runtime/lift/orchestration/valued_names.h"

#include <algorithm>
#include <optional>

#include "runtime/ir/syntax/reserved.h"

namespace ws::lift {
namespace {

class NameValues {
 public:
  NameValues(ir::Program& program, const std::set<std::string>& holes)
      : program_(program),
        holes_(holes) {}

  std::vector<Valueless> settle() {
    body(program_.before);
    body(program_.constants);
    const std::set<std::string> globals = names_;
    for (const bool first : {true, false}) {  // __init__ makes what the others read.
      for (std::size_t i = 0; i < program_.methods.size(); ++i) {
        if ((program_.methods[i].name == "__init__") != first) {
          continue;
        }
        names_ = globals;
        for (const ir::Param& param : program_.methods[i].params) {
          names_.insert(param.name);
        }
        body(program_.methods[i].body);
      }
    }
    return std::move(found_);
  }

 private:
  void body(const std::vector<ir::StmtId>& statements) {
    for (const ir::StmtId id : statements) {
      statement(id);
    }
  }

  void statement(ir::StmtId id) {
    switch (program_.stmt(id).kind) {
      case ir::StmtKind::kExpr:
      case ir::StmtKind::kAssign:
      case ir::StmtKind::kAugment:
      case ir::StmtKind::kReturn:
        simple(id);
        break;
      case ir::StmtKind::kIf:
        branch(id);
        break;
      case ir::StmtKind::kFor:
      case ir::StmtKind::kWhile:
        loop(id);
        break;
      default:
        break;
    }
  }

  void simple(ir::StmtId id) {
    ir::Stmt& stmt = program_.stmts[id];
    if (ir::Method* const hole = hole_of(stmt.value)) {
      shorten(*hole, stmt.value);
    }
    std::optional<std::string> name = unknown_in(stmt.value);
    for (const ir::ExprId target : stmt.targets) {
      const bool makes = stmt.kind == ir::StmtKind::kAssign;
      if (!name && !(makes && is_made(target))) {
        name = unknown_in(target);
      }
    }
    if (name) {
      note(stmt, *name);
      stmt.above.push_back("# left out: `" + *name + "` has no value here");
      stmt.kind = ir::StmtKind::kPass;
      stmt.value = ir::kNoExpr;
      stmt.targets.clear();
      return;
    }
    for (const ir::ExprId target : stmt.targets) {
      make(target);
    }
  }

  void branch(ir::StmtId id) {
    for (std::size_t i = 0; i < program_.stmt(id).arms.size(); ++i) {
      const ir::ExprId condition = program_.stmt(id).arms[i].condition;
      if (const std::optional<std::string> name = unknown_in(condition)) {
        note(program_.stmts[id], *name);
        program_.stmts[id].arms[i].condition = truth();
      }
      const std::vector<ir::StmtId> statements = program_.stmt(id).arms[i].body;
      body(statements);
    }
  }

  void loop(ir::StmtId id) {
    if (const std::optional<std::string> name = unknown_in(program_.stmt(id).value)) {
      note(program_.stmts[id], *name);
      const ir::ExprId round = one_round();
      ir::Stmt& stmt = program_.stmts[id];
      stmt.value = round;
      if (stmt.kind == ir::StmtKind::kWhile) {
        stmt.kind = ir::StmtKind::kFor;
        const ir::ExprId counter = word("once");
        program_.stmts[id].targets = {counter};
      }
    }
    for (const ir::ExprId target : program_.stmt(id).targets) {
      make(target);
    }
    const std::vector<ir::StmtId> statements = program_.stmt(id).arms[0].body;
    body(statements);
  }

  /// The method of a hole that an expression calls; null: it calls none.
  ir::Method* hole_of(ir::ExprId id) {
    if (id == ir::kNoExpr) {
      return nullptr;
    }
    const ir::Expr& call = program_.expr(id);
    if (call.kind != ir::ExprKind::kCall ||
        program_.expr(call.kids[0]).kind != ir::ExprKind::kAttribute) {
      return nullptr;
    }
    const std::string& name = program_.expr(call.kids[0]).text;
    const auto found = std::ranges::find(program_.methods, name, &ir::Method::name);
    return holes_.contains(name) && found != program_.methods.end() ? &*found : nullptr;
  }

  /// Takes the arguments without a value out of a hole's call, and their parameters.
  void shorten(ir::Method& method, ir::ExprId id) {
    ir::Expr& call = program_.exprs[id];
    for (std::size_t i = std::min(method.params.size(), call.kids.size() - 1); i-- > 0;) {
      if (unknown_in(call.kids[i + 1])) {
        call.kids.erase(call.kids.begin() + static_cast<std::ptrdiff_t>(i + 1));
        method.params.erase(method.params.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  /// The first name without a value that an expression reads; nothing: it reads none.
  [[nodiscard]] std::optional<std::string> unknown_in(ir::ExprId id) const {
    if (id == ir::kNoExpr) {
      return std::nullopt;
    }
    const ir::Expr& expr = program_.expr(id);
    if (expr.kind == ir::ExprKind::kName) {
      return names_.contains(expr.text) || ir::is_reserved(expr.text) ? std::nullopt
                                                                      : std::optional(expr.text);
    }
    if (is_of_self(expr)) {
      const bool known =
          attributes_.contains(expr.text) || program_.find_method(expr.text) != nullptr;
      return known || ir::is_reserved("self." + expr.text) || ir::is_reserved(expr.text)
                 ? std::nullopt
                 : std::optional("self." + expr.text);
    }
    const bool operation =
        expr.kind == ir::ExprKind::kCall && program_.expr(expr.kids[0]).kind == ir::ExprKind::kName;
    for (std::size_t i = operation ? 1 : 0; i < expr.kids.size(); ++i) {
      if (std::optional<std::string> name = unknown_in(expr.kids[i])) {
        return name;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_of_self(const ir::Expr& expr) const {
    return expr.kind == ir::ExprKind::kAttribute &&
           program_.expr(expr.kids[0]).kind == ir::ExprKind::kName &&
           program_.expr(expr.kids[0]).text == "self";
  }

  /// Whether an assignment to `id` makes names, and reads nothing.
  [[nodiscard]] bool is_made(ir::ExprId id) const {
    const ir::Expr& expr = program_.expr(id);
    return expr.kind == ir::ExprKind::kName || is_of_self(expr) ||
           (expr.kind == ir::ExprKind::kTuple &&
            std::ranges::all_of(expr.kids, [&](ir::ExprId kid) { return is_made(kid); }));
  }

  void make(ir::ExprId id) {
    const ir::Expr& expr = program_.expr(id);
    if (expr.kind == ir::ExprKind::kName) {
      names_.insert(expr.text);
    } else if (is_of_self(expr)) {
      attributes_.insert(expr.text);
    } else if (expr.kind == ir::ExprKind::kTuple) {
      for (const ir::ExprId kid : expr.kids) {
        make(kid);
      }
    }
  }

  void note(const ir::Stmt& stmt, const std::string& name) {
    found_.push_back({name, stmt.trailing});
  }

  ir::ExprId added(ir::Expr expr) {
    program_.exprs.push_back(std::move(expr));
    return static_cast<ir::ExprId>(program_.exprs.size() - 1);
  }

  ir::ExprId word(const std::string& text) {
    ir::Expr expr;
    expr.kind = ir::ExprKind::kName;
    expr.text = text;
    return added(std::move(expr));
  }

  ir::ExprId truth() {
    ir::Expr expr;
    expr.kind = ir::ExprKind::kBool;
    expr.integer = 1;
    return added(std::move(expr));
  }

  ir::ExprId one_round() {
    ir::Expr one;
    one.kind = ir::ExprKind::kInteger;
    one.integer = 1;
    one.text = "1";
    ir::Expr call;
    call.kind = ir::ExprKind::kCall;
    call.depth = 2;
    call.kids = {word("range"), added(std::move(one))};
    return added(std::move(call));
  }

  ir::Program& program_;
  const std::set<std::string>& holes_;
  std::set<std::string> names_;
  std::set<std::string> attributes_;
  std::vector<Valueless> found_;
};

}  // namespace

std::vector<Valueless> give_names_values(ir::Program& program, const std::set<std::string>& holes) {
  return NameValues(program, holes).settle();
}

}  // namespace ws::lift
