#include "runtime/lift/lower/value_change.h"

#include <algorithm>
#include <optional>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

/// The name that an assignment gives a value to, without `[:]`; empty: it is another statement.
std::string target_of(const ir::Program& program, const ir::Stmt& stmt) {
  if (stmt.kind != ir::StmtKind::kAssign || stmt.targets.size() != 1) {
    return {};
  }
  std::string text = ir::print_expr(program, stmt.targets[0]);
  return text.ends_with("[:]") ? text.substr(0, text.size() - 3) : text;
}

bool is_number(const ir::Program& program, ir::ExprId id) {
  const ir::ExprKind kind = program.expr(id).kind;
  return kind == ir::ExprKind::kInteger || kind == ir::ExprKind::kFloat;
}

/// Whether the lines of a change only give the program more arguments.
bool only_takes_arguments(const std::vector<ProgramLine>& lines, std::size_t first,
                          std::size_t last) {
  return std::all_of(lines.begin() + static_cast<std::ptrdiff_t>(first),
                     lines.begin() + static_cast<std::ptrdiff_t>(last),
                     [](const ProgramLine& line) {
                       const std::string text(ws::trimmed(line.text));
                       const std::size_t equals = text.find(" = ");
                       return text.starts_with("def __init__(") ||
                              (equals != std::string::npos &&
                               text.substr(0, equals) == "self." + text.substr(equals + 3));
                     });
}

/// Looks for the one expression in whose place another one stands that is made from it.
class Comparison {
 public:
  Comparison(const ir::Program& before, const ir::Program& after,
             const std::map<std::string, ir::ExprId>& defined)
      : before_(before),
        after_(after),
        defined_(defined) {}

  void compare(ir::ExprId old, ir::ExprId now) {
    const std::string text = ir::print_expr(before_, old);
    now = resolved(now);
    if (text == ir::print_expr(after_, now)) {
      return;
    }
    if (!is_number(before_, old) && contains(now, text)) {
      failed_ = failed_ ||
                (value_ != ir::kNoExpr &&
                 (old_ != text || ir::print_expr(after_, value_) != ir::print_expr(after_, now)));
      old_ = text;
      value_ = now;
      return;
    }
    const ir::Expr& a = before_.expr(old);
    const ir::Expr& b = after_.expr(now);
    if (a.kind != b.kind || a.text != b.text || a.operators != b.operators ||
        a.keywords != b.keywords || a.kids.size() != b.kids.size() || a.kids.empty()) {
      failed_ = true;
      return;
    }
    for (std::size_t i = 0; i < a.kids.size(); ++i) {
      if (a.kids[i] != ir::kNoExpr && b.kids[i] != ir::kNoExpr) {
        compare(a.kids[i], b.kids[i]);
      }
    }
  }

  [[nodiscard]] bool found() const { return !failed_ && value_ != ir::kNoExpr; }

  [[nodiscard]] const std::string& old() const { return old_; }

  [[nodiscard]] ir::ExprId value() const { return value_; }

 private:
  /// A name that stands for an expression as that. So many of them are enough: names may double
  /// with each definition.
  [[nodiscard]] ir::ExprId resolved(ir::ExprId id) const {
    constexpr std::size_t kMostResolved = 2000;
    const ir::Expr& expr = after_.expr(id);
    const auto found = expr.kind == ir::ExprKind::kName ? defined_.find(expr.text) : defined_.end();
    return found == defined_.end() || ++resolved_ > kMostResolved ? id : found->second;
  }

  [[nodiscard]] bool contains(ir::ExprId id, const std::string& text) const {
    if (id == ir::kNoExpr) {
      return false;
    }
    id = resolved(id);
    const std::vector<ir::ExprId>& kids = after_.expr(id).kids;
    return ir::print_expr(after_, id) == text ||
           std::any_of(kids.begin(), kids.end(),
                       [&](ir::ExprId kid) { return contains(kid, text); });
  }

  const ir::Program& before_;
  const ir::Program& after_;
  const std::map<std::string, ir::ExprId>& defined_;
  std::string old_;
  ir::ExprId value_ = ir::kNoExpr;
  bool failed_ = false;
  mutable std::size_t resolved_ = 0;
};

/// Whether an expression has one of the names.
bool mentions(const ir::Program& program, ir::ExprId id, const std::set<std::string>& names) {
  if (id == ir::kNoExpr) {
    return false;
  }
  const ir::Expr& expr = program.expr(id);
  return (expr.kind == ir::ExprKind::kName && names.contains(expr.text)) ||
         std::any_of(expr.kids.begin(), expr.kids.end(),
                     [&](ir::ExprId kid) { return mentions(program, kid, names); });
}

tl::unexpected<Error> other_change(const std::string& line, const std::string& why) {
  return fail(ErrorCode::kUnsupported, "`" + line + "` " + why);
}

class Changes {
 public:
  Changes(const ReadProgram& lifted, const ReadProgram& target, const std::set<std::string>& tiles)
      : lifted_(lifted),
        target_(target),
        tiles_(tiles) {
    for (const auto& [text, id] : lifted_.statements) {
      assigned_.insert(target_of(lifted_.program, lifted_.program.stmt(id)));
    }
  }

  /// Lines that come: each gives a name another value, or defines one for those behind it.
  Status added(const Hunk& hunk) {
    Definitions defined;
    std::set<std::string> stale;  // Their values were made before a change.
    for (std::size_t i = hunk.target_first; i < hunk.target_last; ++i) {
      const ProgramLine& line = target_.lines[i];
      WS_TRY(const ir::Stmt* stmt, statement(target_, line));
      const std::string name = target_of(target_.program, *stmt);
      if (name.empty() || hunk.first == 0) {
        return other_change(shown(line), "is no value of a name");
      }
      if (mentions(target_.program, stmt->value, stale)) {
        return other_change(shown(line), "uses a value that was made before a change");
      }
      if (!assigned_.contains(name)) {
        WS_CHECK(define(name, *stmt, line, defined));
        continue;
      }
      WS_TRY(ValueChange change, beside(hunk, line));
      change.name = change.old = name;
      change.value = stmt->value;
      change.defined = defined;
      all.push_back(std::move(change));
      for (const auto& [known, value] : defined) {
        stale.insert(known);
      }
    }
    return {};
  }

  /// Lines in place of others: each of these stands there once more, changed, behind those that
  /// define its new names.
  Status replaced(const Hunk& hunk) {
    Definitions defined;
    std::size_t at = hunk.first;
    for (std::size_t i = hunk.target_first; i < hunk.target_last; ++i) {
      const ProgramLine& line = target_.lines[i];
      WS_TRY(const ir::Stmt* now, statement(target_, line));
      const std::string name = target_of(target_.program, *now);
      if (!name.empty() && !assigned_.contains(name)) {
        WS_CHECK(define(name, *now, line, defined));
        continue;
      }
      if (at == hunk.last) {
        return other_change(shown(line), "is new beside a change");
      }
      WS_TRY(const ir::Stmt* was, statement(lifted_, lifted_.lines[at]));
      if (was->kind != now->kind || target_of(lifted_.program, *was) != name) {
        return other_change(shown(line), "is no new value in place of an old one");
      }
      WS_CHECK(changed(*was, *now, name, defined, at++));
    }
    return at == hunk.last ? Status() : other_change(shown(lifted_.lines[at]), "is only removed");
  }

  std::vector<ValueChange> all;

 private:
  using Definitions = std::map<std::string, ir::ExprId>;

  static std::string shown(const ProgramLine& line) { return std::string(ws::trimmed(line.text)); }

  Status define(const std::string& name, const ir::Stmt& stmt, const ProgramLine& line,
                Definitions& defined) const {
    const bool again = defined.contains(name) || mentions(target_.program, stmt.value, {name});
    const bool used = std::any_of(defined.begin(), defined.end(), [&](const auto& known) {
      return mentions(target_.program, known.second, {name});
    });
    if (again || used) {
      return other_change(shown(line), "gives a new name another value");
    }
    defined[name] = stmt.value;
    return {};
  }

  /// Behind the line before, or before the next one, whichever stands in the same block.
  [[nodiscard]] Result<ValueChange> beside(const Hunk& hunk, const ProgramLine& line) const {
    ValueChange change;
    change.line = hunk.first - 1;
    change.kind = ValueChange::Kind::kBehind;
    if (indent_of(lifted_.lines[change.line]) == indent_of(line)) {
      return change;
    }
    change.line = hunk.first;
    change.kind = ValueChange::Kind::kBefore;
    if (change.line < lifted_.lines.size() &&
        indent_of(lifted_.lines[change.line]) == indent_of(line)) {
      return change;
    }
    return other_change(shown(line), "stands alone in its block");
  }

  static Result<const ir::Stmt*> statement(const ReadProgram& read, const ProgramLine& line) {
    const auto found = read.statements.find(shown(line));
    const ir::Stmt* const stmt =
        found == read.statements.end() ? nullptr : &read.program.stmt(found->second);
    if (stmt == nullptr ||
        (stmt->kind != ir::StmtKind::kAssign && stmt->kind != ir::StmtKind::kExpr)) {
      return other_change(shown(line), "is no statement of values");
    }
    return stmt;
  }

  Status changed(const ir::Stmt& was, const ir::Stmt& now, const std::string& name,
                 const Definitions& defined, std::size_t line) {
    Comparison comparison(lifted_.program, target_.program, defined);
    comparison.compare(was.value, now.value);
    const bool integer = !name.empty() && registers_of(lifted_, tiles_, name, line + 1).empty();
    if (integer) {
      all.push_back({ValueChange::Kind::kInteger, name, "", now.value, defined, line});
      return {};
    }
    if (!comparison.found()) {
      return other_change(shown(lifted_.lines[line]),
                          "does not become a value that is made from the old one");
    }
    const std::string& old = comparison.old();
    const bool whole = !name.empty() && old == ir::print_expr(lifted_.program, was.value);
    const std::string held = registers_of(lifted_, tiles_, old, line);
    const ValueChange::Kind kind = whole          ? ValueChange::Kind::kBehind
                                   : held.empty() ? ValueChange::Kind::kInside
                                                  : ValueChange::Kind::kBefore;
    all.push_back({kind,
                   whole          ? name
                   : held.empty() ? ""
                                  : old,
                   old, comparison.value(), defined, line});
    return {};
  }

  const ReadProgram& lifted_;
  const ReadProgram& target_;
  const std::set<std::string>& tiles_;
  std::set<std::string> assigned_;
};

/// The names in an expression that are registers.
void add_tiles(const ir::Program& program, ir::ExprId id, const std::set<std::string>& tiles,
               std::set<std::string>& found) {
  if (id == ir::kNoExpr) {
    return;
  }
  const ir::Expr& expr = program.expr(id);
  if (expr.kind == ir::ExprKind::kName && tiles.contains(expr.text)) {
    found.insert(expr.text);
  }
  for (const ir::ExprId kid : expr.kids) {
    add_tiles(program, kid, tiles, found);
  }
}

}  // namespace

std::string registers_of(const ReadProgram& lifted, const std::set<std::string>& tiles,
                         const std::string& name, std::size_t before) {
  if (tiles.contains(name)) {
    return name;
  }
  for (std::size_t i = before; i-- > 0;) {
    const auto found = lifted.statements.find(std::string(ws::trimmed(lifted.lines[i].text)));
    if (found == lifted.statements.end()) {
      continue;
    }
    const ir::Stmt& stmt = lifted.program.stmt(found->second);
    if (target_of(lifted.program, stmt) != name) {
      continue;
    }
    const ir::Expr& value = lifted.program.expr(stmt.value);
    const bool chosen =
        value.kind == ir::ExprKind::kCall && lifted.program.expr(value.kids[0]).text == "where";
    std::set<std::string> made_from;
    add_tiles(lifted.program, stmt.value, tiles, made_from);
    return chosen && made_from.size() == 1 ? *made_from.begin() : "";
  }
  return {};
}

Result<std::vector<ValueChange>> value_changes(const ReadProgram& lifted, const ReadProgram& target,
                                               const std::set<std::string>& tiles) {
  WS_TRY(const std::vector<Hunk> hunks, hunks_of(lifted.lines, target.lines));
  Changes changes(lifted, target, tiles);
  for (const Hunk& hunk : hunks) {
    if (only_takes_arguments(lifted.lines, hunk.first, hunk.last) &&
        only_takes_arguments(target.lines, hunk.target_first, hunk.target_last)) {
      continue;
    }
    WS_CHECK(hunk.first == hunk.last ? changes.added(hunk) : changes.replaced(hunk));
  }
  return std::move(changes.all);
}

}  // namespace ws::lift
