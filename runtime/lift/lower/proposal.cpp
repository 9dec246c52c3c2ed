#include "runtime/lift/lower/proposal.h"

#include <algorithm>
#include <optional>

#include "runtime/ir/diff/rules.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/lift/lower/c_text.h"
#include "runtime/lift/lower/element_edits.h"
#include "runtime/lift/lower/value_change.h"

namespace ws::lift {
namespace {

/// A line of the kernel that assigns: `const float `, `p`, and the rest is its value.
struct Assigned {
  std::string before;
  std::string target;
};

/// @return  Nothing: the line is no plain assignment, or more than one.
std::optional<Assigned> assigned_in(const std::string& line) {
  const std::size_t end = line.find_last_not_of(' ');
  const std::size_t equals = line.find('=');
  const bool one = end != std::string::npos && line[end] == ';' && line.find(';') == end &&
                   line.find('{') == std::string::npos;
  if (!one || equals == std::string::npos || equals < 2 || line[equals + 1] == '=' ||
      line[equals - 1] != ' ') {
    return std::nullopt;
  }
  int depth = 0;
  std::size_t from = equals - 1;
  while (from > 0 && (line[from - 1] != ' ' || depth > 0)) {
    --from;
    depth += line[from] == ']' || line[from] == ')' ? 1 : 0;
    depth -= line[from] == '[' || line[from] == '(' ? 1 : 0;
  }
  return Assigned{line.substr(0, from), line.substr(from, equals - 1 - from)};
}

std::string left_side(const std::string& text) {
  const std::size_t at = text.find(" = ");
  return at == std::string::npos ? "" : text.substr(0, at);
}

/// The kernel's names for the program's names, read from the lines that assign them.
std::map<std::string, std::string> names_of(const ProposalInput& input) {
  std::map<std::string, std::string> names = input.arguments;
  for (const std::string& line : split_lines(input.lifted)) {
    const std::size_t at = line.find("  # @ ");
    const std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (at == std::string::npos || left_side(text).empty()) {
      continue;
    }
    const Result<std::optional<ir::Mark>> mark = ir::parse_mark(line.substr(at + 2), {});
    if (!mark || !*mark || !input.lines.contains((*mark)->file)) {
      continue;
    }
    const std::vector<std::string> source = split_lines(input.lines.at((*mark)->file));
    std::string own = (*mark)->last <= source.size() ? source[(*mark)->last - 1] : "";
    for (const char* compound : {" += ", " *= ", " -= "}) {
      if (const std::size_t place = own.find(compound); place != std::string::npos) {
        own.replace(place, 4, " = ");
      }
    }
    if (const auto assigned = assigned_in(own)) {
      names[left_side(text)] = assigned->target;
    }
  }
  return names;
}

/// The value that a statement gives to the kernel's line: of a store, what is stored.
ir::ExprId value_of(const ir::Program& program, const ir::Stmt& stmt) {
  if (stmt.kind == ir::StmtKind::kAssign) {
    return stmt.value;
  }
  const ir::Expr& call = program.expr(stmt.value);
  if (call.kind != ir::ExprKind::kCall || program.expr(call.kids[0]).text != "store" ||
      call.kids.size() != 4) {
    return ir::kNoExpr;
  }
  const ir::Expr& value = program.expr(call.kids[3]);
  const bool reshaped = value.kind == ir::ExprKind::kCall && value.kids.size() > 1 &&
                        program.expr(value.kids[0]).text == "reshape";
  return reshaped ? value.kids[1] : call.kids[3];
}

/// The statement of the target with this text.
std::optional<ir::Stmt> statement(const ir::Program& program, const std::string& text) {
  for (ir::StmtId id = 0; id < program.stmts.size(); ++id) {
    std::string own = ir::print_stmt(program, id, 0);
    own.resize(std::min(own.find('\n'), own.size()));
    if (own == text) {
      return program.stmts[id];
    }
  }
  return std::nullopt;
}

Result<ProposedEdit> one_statement(const ir::Program& target, const Window& window,
                                   const ProposalInput& input) {
  const std::vector<std::string> source = split_lines(input.lines.at(window.region));
  const std::string& old = source.at(static_cast<std::size_t>(window.first) - 1);
  const auto assigned = assigned_in(old);
  if (!assigned) {
    return fail(ErrorCode::kUnsupported,
                "line " + std::to_string(window.first) + " is not one assignment");
  }
  const auto indices = input.indices.find(window.first);
  CText c(target, names_of(input),
          indices == input.indices.end() ? std::vector<IndexText>() : indices->second);
  const std::string& changed = window.becomes.back();
  for (const std::string& text : window.becomes) {
    const std::optional<ir::Stmt> stmt = statement(target, text);
    if (!stmt) {
      return fail(ErrorCode::kUnsupported, "`" + text + "` is no statement of its own");
    }
    const ir::ExprId value = value_of(target, *stmt);
    if (value == ir::kNoExpr) {
      return fail(ErrorCode::kUnsupported, "`" + text + "` is no value");
    }
    if (text != changed) {
      c.define(left_side(text), value);
      continue;
    }
    Result<std::string> made = c.of(value);
    if (!made) {
      return fail(ErrorCode::kUnsupported, "`" + text + "`: " + made.error().message);
    }
    return ProposedEdit{window.region, window.first, old,
                        assigned->before + assigned->target + " = " + *made + ";", false};
  }
  return fail(ErrorCode::kInternal, "a window without a statement");
}

/// Each changed statement as the line that it stands for.
Result<std::vector<ProposedEdit>> by_statements(const Lowering& lowering,
                                                const ProposalInput& input) {
  if (proposal_lines(lowering).empty()) {
    return fail(ErrorCode::kUnsupported, "the change is not one of single statements");
  }
  WS_TRY(const ir::Program target, ir::parse_program(lowering.target));
  std::vector<ProposedEdit> edits;
  for (const Window& window : lowering.windows) {
    if (window.becomes.empty()) {
      continue;  // A call, or a function's parameters: they may stay as they are.
    }
    WS_TRY(ProposedEdit edit, one_statement(target, window, input));
    edits.push_back(std::move(edit));
  }
  return edits;
}

/// Changes of registers that products use, and of integers.
Result<std::vector<ProposedEdit>> by_elements(const Lowering& lowering,
                                              const ProposalInput& input) {
  WS_TRY(const ReadProgram lifted, ReadProgram::read(input.lifted));
  WS_TRY(const ReadProgram target, ReadProgram::read(lowering.target));
  std::set<std::string> tiles;
  for (const RegisterTile& tile : input.registers) {
    tiles.insert(tile.name);
  }
  WS_TRY(const std::vector<ValueChange> changes, value_changes(lifted, target, tiles));
  const EditedKernel kernel{input.tree,  input.entry,     input.registers,
                            input.lines, input.arguments, input.inputs};
  return element_edits(kernel, lifted, target, changes);
}

bool is_one_statement(const Window& window) {
  return window.first == window.last && window.was.size() == 1 && !window.becomes.empty() &&
         left_side(window.was[0]) == left_side(window.becomes.back());
}

}  // namespace

std::vector<std::int32_t> proposal_lines(const Lowering& lowering) {
  std::vector<std::int32_t> lines;
  for (const Window& window : lowering.windows) {
    if (window.was.empty() && window.becomes.empty()) {
      continue;
    }
    if (!is_one_statement(window)) {
      return {};
    }
    lines.push_back(window.first);
  }
  return lowering.plan_was.empty() && lowering.plan_becomes.empty() ? lines
                                                                    : std::vector<std::int32_t>();
}

Result<std::vector<ProposedEdit>> propose(const Lowering& lowering, const ProposalInput& input) {
  Result<std::vector<ProposedEdit>> edits = by_statements(lowering, input);
  if (!edits && !input.registers.empty()) {
    edits = by_elements(lowering, input);
  }
  for (const ProposedEdit& edit : edits ? *edits : std::vector<ProposedEdit>()) {
    const std::int32_t last = edit.inserts ? edit.line - 1 : edit.line;
    if (const std::string why = outside(lowering, edit.region, edit.line, last); !why.empty()) {
      return fail(ErrorCode::kUnsupported, "it would change other lines: " + why);
    }
  }
  return edits;
}

}  // namespace ws::lift
