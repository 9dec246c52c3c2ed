// Statements and the file; expr_printer.cpp has the expressions.
#include "runtime/ir/syntax/printer.h"

namespace ws::ir {
namespace {

std::string indent(int level) {
  constexpr int width = 4;
  return std::string(static_cast<std::size_t>(level * width), ' ');
}

class Printer {
 public:
  explicit Printer(const Program& program)
      : program_(program) {}

  std::string file() {
    statements(program_.before, 0);
    if (!program_.before.empty()) {
      text_ += "\n\n";
    }
    comments(program_.above, 0);
    line(0, "class " + program_.name + "(" + program_.base + "):", program_.trailing);
    if (!program_.docstring.empty()) {
      line(1, quoted(program_.docstring), "");
    }
    statements(program_.constants, 1);
    if (program_.docstring.empty() && program_.constants.empty() && program_.methods.empty()) {
      line(1, "pass", "");
    }
    bool first = program_.constants.empty() && program_.docstring.empty();
    for (const Method& method : program_.methods) {
      text_ += first ? "" : "\n";
      first = false;
      print_method(method);
    }
    comments(program_.below, 0);
    return std::move(text_);
  }

  std::string one(StmtId id, int level) {
    statement(program_.stmt(id), level);
    return std::move(text_);
  }

 private:
  void line(int level, const std::string& text, const std::string& trailing) {
    text_ += indent(level) + text + (trailing.empty() ? "" : "  " + trailing) + "\n";
  }

  void comments(const std::vector<std::string>& lines, int level) {
    for (const std::string& comment : lines) {
      line(level, comment, "");
    }
  }

  static std::string quoted(const std::string& text) {
    return text.find_first_of("\n\"\\") == std::string::npos ? "\"" + text + "\""
           : text.find("\"\"\"") == std::string::npos && text.back() != '"'
               ? "\"\"\"" + text + "\"\"\""
               : "'''" + text + "'''";
  }

  [[nodiscard]] std::string expr(ExprId id) const { return print_expr(program_, id); }

  void print_method(const Method& method) {
    comments(method.above, 1);
    std::string head = "def " + method.name + "(self";
    for (const Param& param : method.params) {
      const bool typed = param.annotation != kNoExpr;
      head += ", " + param.name + (typed ? ": " + expr(param.annotation) : "");
      if (param.default_value != kNoExpr) {
        head += (typed ? " = " : "=") + expr(param.default_value);
      }
    }
    head += method.returns == kNoExpr ? "):" : ") -> " + expr(method.returns) + ":";
    line(1, head, method.trailing);
    statements(method.body, 2);
  }

  void statements(const std::vector<StmtId>& ids, int level) {
    for (const StmtId id : ids) {
      statement(program_.stmt(id), level);
    }
  }

  void statement(const Stmt& stmt, int level) {
    comments(stmt.above, level);
    if (stmt.kind == StmtKind::kIf) {
      branches(stmt, level);
    } else if (stmt.kind == StmtKind::kFor || stmt.kind == StmtKind::kWhile) {
      line(level, head(stmt), stmt.trailing);
      statements(stmt.arms.front().body, level + 1);
    } else {
      line(level, head(stmt), stmt.trailing);
    }
  }

  void branches(const Stmt& stmt, int level) {
    bool first = true;
    for (const Arm& arm : stmt.arms) {
      const std::string word = first ? "if " : "elif ";
      line(level, arm.condition == kNoExpr ? "else:" : word + expr(arm.condition) + ":",
           first ? stmt.trailing : "");
      statements(arm.body, level + 1);
      first = false;
    }
  }

  // The statement's own line.
  [[nodiscard]] std::string head(const Stmt& stmt) const {
    switch (stmt.kind) {
      case StmtKind::kExpr:
        return program_.expr(stmt.value).kind == ExprKind::kString
                   ? quoted(program_.expr(stmt.value).text)
                   : expr(stmt.value);
      case StmtKind::kAssign: {
        std::string text;
        for (const ExprId target : stmt.targets) {
          text += expr(target) + " = ";
        }
        return text + expr(stmt.value);
      }
      case StmtKind::kAugment:
        return expr(stmt.targets.front()) + " " + std::string(info_of(stmt.op).text) + "= " +
               expr(stmt.value);
      case StmtKind::kFor:
        return "for " + expr(stmt.targets.front()) + " in " + expr(stmt.value) + ":";
      case StmtKind::kWhile:
        return "while " + expr(stmt.value) + ":";
      case StmtKind::kReturn:
        return stmt.value == kNoExpr ? "return" : "return " + expr(stmt.value);
      case StmtKind::kBreak:
        return "break";
      case StmtKind::kContinue:
        return "continue";
      case StmtKind::kImport:
        return stmt.text;
      case StmtKind::kIf:
      case StmtKind::kPass:
        break;
    }
    return "pass";
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string print(const Program& program) {
  return Printer(program).file();
}

std::string print_stmt(const Program& program, StmtId id, int level) {
  return Printer(program).one(id, level);
}

}  // namespace ws::ir
