// The file and its class; stmt_parser.cpp has the statements, expr_parser.cpp the expressions.
#include "runtime/ir/syntax/parser.h"

#include <algorithm>

#include "runtime/ir/syntax/lexer.h"
#include "runtime/ir/syntax/stmt_parser.h"

namespace ws::ir {
namespace {

class FileParser {
 public:
  FileParser(Cursor& cursor, Program& program)
      : cursor_(cursor),
        program_(program),
        statements_(cursor, program) {}

  void run() {
    while (!cursor_.is(TokenKind::kEnd)) {
      statements_.take_comments();
      if (cursor_.is(TokenKind::kDedent)) {
        cursor_.take();  // Takes the dedent of a block that an error left open.
      } else if (cursor_.is("class")) {
        parse_class();
      } else if (!cursor_.is(TokenKind::kEnd)) {
        top_statement();
      }
      if (cursor_.failed()) {
        cursor_.recover();
      }
    }
    program_.below = statements_.take_pending();
    if (program_.name.empty()) {
      cursor_.error(cursor_.peek().place, "the program has no class",
                    "write `class Name(KernelBase):` with the methods __init__ and run");
    }
  }

 private:
  void top_statement() {
    const SourcePlace place = cursor_.peek().place;
    const std::size_t first = program_.before.size();
    statements_.line(program_.before);
    for (std::size_t i = first; i < program_.before.size() && !cursor_.failed(); ++i) {
      const Stmt& stmt = program_.stmt(program_.before[i]);
      const bool docstring =
          stmt.kind == StmtKind::kExpr && program_.expr(stmt.value).kind == ExprKind::kString;
      if (!program_.name.empty()) {
        cursor_.error(place, "a statement after the class");
      } else if (stmt.kind != StmtKind::kAssign && stmt.kind != StmtKind::kImport && !docstring) {
        cursor_.error(place, "only imports and constants may stand before the class",
                      "move this into a method");
      }
    }
  }

  void parse_class() {
    const SourcePlace place = cursor_.take().place;
    if (!program_.name.empty()) {
      cursor_.error(place, "a second class: a program has one", "keep one kernel in a file");
    }
    program_.place = place;
    program_.above = statements_.take_pending();
    program_.name = statements_.name("a name for the class");
    if (cursor_.take_if("(")) {
      program_.base = statements_.name("the base class");
      cursor_.expect(")");
    }
    if (!cursor_.failed() && program_.base != "KernelBase") {
      cursor_.error(place, "the class is not derived from KernelBase",
                    "write `class " + program_.name + "(KernelBase):`");
    }
    program_.trailing = statements_.open_block();
    if (cursor_.failed()) {
      program_.name = program_.name.empty() ? "?" : program_.name;
      return;
    }
    while (!cursor_.is(TokenKind::kDedent) && !cursor_.is(TokenKind::kEnd)) {
      member();
      if (cursor_.failed()) {
        cursor_.recover();
      }
    }
    cursor_.take();
  }

  void member() {
    statements_.take_comments();
    if (cursor_.is(TokenKind::kDedent)) {
      return;
    }
    if (cursor_.is("def")) {
      method();
    } else if (cursor_.is(TokenKind::kString) && program_.docstring.empty()) {
      program_.docstring = cursor_.take().text;
      statements_.end_of_line();
    } else {
      const SourcePlace place = cursor_.peek().place;
      const std::size_t first = program_.constants.size();
      statements_.line(program_.constants);
      for (std::size_t i = first; i < program_.constants.size() && !cursor_.failed(); ++i) {
        const StmtKind kind = program_.stmt(program_.constants[i]).kind;
        if (kind != StmtKind::kAssign && kind != StmtKind::kPass) {
          cursor_.error(place, "only constants and methods may stand in the class");
        }
      }
    }
  }

  void method() {
    cursor_.take();
    Method method;
    method.place = cursor_.peek().place;
    method.above = statements_.take_pending();
    method.name = statements_.name("a name for the method");
    parameters(method);
    if (cursor_.take_if("->")) {
      method.returns = statements_.exprs().expression();
    }
    if (!cursor_.failed() && program_.find_method(method.name) != nullptr) {
      cursor_.error(method.place, "a second method `" + method.name + "`");
    }
    statements_.body(method.body, method.trailing);
    program_.methods.push_back(std::move(method));
  }

  void parameters(Method& method) {
    cursor_.expect("(");
    if (!cursor_.take_if("self")) {
      cursor_.unexpected("`self` as the first parameter");
    }
    while (cursor_.take_if(",") && !cursor_.is(")")) {
      Param param;
      param.place = cursor_.peek().place;
      param.name = statements_.name("a parameter");
      const bool known = std::any_of(method.params.begin(), method.params.end(),
                                     [&](const Param& other) { return other.name == param.name; });
      if (known) {
        cursor_.error(param.place, "a second parameter `" + param.name + "`");
      }
      if (cursor_.take_if(":")) {
        param.annotation = statements_.exprs().expression();
      }
      if (cursor_.take_if("=")) {
        param.default_value = statements_.exprs().expression();
      } else if (!method.params.empty() && method.params.back().default_value != kNoExpr) {
        cursor_.error(param.place, "`" + param.name + "` has no default, the one before it has");
      }
      method.params.push_back(std::move(param));
    }
    cursor_.expect(")");
  }

  Cursor& cursor_;
  Program& program_;
  StmtParser statements_;
};

}  // namespace

const Method* Program::find_method(std::string_view method) const {
  const auto found = std::find_if(methods.begin(), methods.end(), [&](const Method& candidate) {
    return candidate.name == method;
  });
  return found == methods.end() ? nullptr : &*found;
}

std::optional<Program> parse(std::string text, Diagnostics& diagnostics) {
  Program program;
  program.text = std::move(text);
  Cursor cursor(lex(program.text, diagnostics), diagnostics);
  if (diagnostics.empty()) {  // Half-read words would only give errors that follow from the first.
    FileParser(cursor, program).run();
  }
  if (!diagnostics.empty()) {
    return std::nullopt;
  }
  return program;
}

Result<Program> parse_program(std::string text) {
  Diagnostics diagnostics;
  const std::string copy = text;
  std::optional<Program> program = parse(std::move(text), diagnostics);
  if (!program) {
    return fail(diagnostics.to_error(copy));
  }
  return *std::move(program);
}

}  // namespace ws::ir
