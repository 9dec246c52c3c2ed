#include "runtime/lift/lower/element_places.h"

#include "runtime/base/text.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/lower/c_text.h"
#include "runtime/lift/lower/lowering_windows.h"

namespace ws::lift {

Result<Window> ElementPlaces::lines_of(const ValueChange& change) const {
  const ProgramLine& line = lifted_.lines[change.line];
  if (!line.mark) {
    return no_form("`" + std::string(ws::trimmed(line.text)) + "` is tied to no line");
  }
  Window window;
  window.region = line.mark->file;
  window.first = static_cast<std::int32_t>(line.mark->first);
  window.last = static_cast<std::int32_t>(line.mark->last);
  return window;
}

/// Whether the change may as well come before a choice that put a number in the place of elements:
/// a choice of the same number, or a sum, for which infinities stay what they are.
bool ElementPlaces::commutes(const ValueChange& change) const {
  const auto stmt =
      lifted_.statements.find(std::string(ws::trimmed(lifted_.lines[change.line].text)));
  if (stmt == lifted_.statements.end() ||
      lifted_.program.stmt(stmt->second).kind != ir::StmtKind::kAssign) {
    return false;
  }
  const ir::Expr& chosen = lifted_.program.expr(lifted_.program.stmt(stmt->second).value);
  if (chosen.kind != ir::ExprKind::kCall || chosen.kids.size() != 4 ||
      lifted_.program.expr(chosen.kids[0]).text != "where") {
    return false;
  }
  const std::string number = hidden_number(chosen);
  const ir::Expr& now = target_.program.expr(change.value);
  const auto is_old = [&](ir::ExprId id) {
    return ir::print_expr(target_.program, id) == change.old;
  };
  const bool chooses = now.kind == ir::ExprKind::kCall && now.kids.size() == 4 &&
                       target_.program.expr(now.kids[0]).text == "where" && is_old(now.kids[2]) &&
                       ir::print_expr(target_.program, now.kids[3]) == number;
  const bool adds =
      number == "-inf" && now.kind == ir::ExprKind::kBinary && is_old(now.kids[0]) &&
      (now.operators[0] == ir::Operator::kAdd || now.operators[0] == ir::Operator::kSubtract);
  return chooses || adds;
}

/// The number of `where(a, where(b, x, number), x)` or `where(b, x, number)`.
std::string ElementPlaces::hidden_number(const ir::Expr& chosen) const {
  const ir::Expr& first = lifted_.program.expr(chosen.kids[2]);
  const bool nested = first.kind == ir::ExprKind::kCall && first.kids.size() == 4;
  return ir::print_expr(lifted_.program, nested ? first.kids[3] : chosen.kids[3]);
}

/// Whether a line of the program is tied to a line of the function.
bool ElementPlaces::is_beside(std::size_t line, const Range& function) const {
  const auto& mark = line < lifted_.lines.size() ? lifted_.lines[line].mark : std::nullopt;
  return mark && mark->file == draft_.region_of(function) &&
         static_cast<std::int32_t>(mark->first) >= function.line &&
         static_cast<std::int32_t>(mark->last) <= function.end_line;
}

/// Whether lines are whole statements of a block, so that others may stand beside them.
Status ElementPlaces::check_whole(const std::string& region, std::int32_t first,
                                  std::int32_t last) const {
  const std::vector<Node>& nodes = kernel_.tree.nodes;
  const bool whole = std::any_of(nodes.begin(), nodes.end(), [&](const Node& block) {
    const auto ends_at = [&](std::int32_t line, std::int32_t Range::* end) {
      return std::any_of(block.kids.begin(), block.kids.end(), [&](NodeId kid) {
        const Range& range = kernel_.tree.node(kid).range;
        return range.region != kNone && draft_.region_of(range) == region && range.*end == line;
      });
    };
    return block.kind == NodeKind::kBlock && ends_at(first, &Range::line) &&
           ends_at(last, &Range::end_line);
  });
  return whole ? Status()
               : no_form("lines " + std::to_string(first) + "-" + std::to_string(last) +
                         " are no whole statements of a block in braces");
}

/// The line before which the elements change, as `first`; text there is set in as line `last` is.
Result<Window> ElementPlaces::before(const ValueChange& change, VariableId array) const {
  WS_TRY(Window window, lines_of(change));
  const bool behind = change.kind == ValueChange::Kind::kBehind;
  const FunctionId function = function_of(kernel_.tree, window);
  if (function == kNone) {
    return no_form("line " + std::to_string(window.first) + " is in no function");
  }
  const Function& called = kernel_.tree.function(function);
  const Function& entry = kernel_.tree.function(kernel_.entry);
  if (called.range.line == entry.range.line && called.range.region == entry.range.region) {
    const auto [first, last] = nest_around(lifted_.lines, kernel_.tree, window);
    WS_CHECK(check_whole(window.region, first, last));
    window.last = first;
    window.first = behind ? last + 1 : first;
  } else {
    const std::vector<NodeId> calls = scope_.calls(function, array);
    const bool outermost = behind ? !is_beside(change.line + 1, called.range)
                                  : !is_beside(change.line - 1, called.range);
    if (calls.size() != 1) {
      return no_form("`" + called.name + "` is called with `" + kernel_.tree.variable(array).name +
                     "` " + std::to_string(calls.size()) + " times");
    }
    if (!outermost && !(behind && commutes(change))) {
      return no_form("the change of `" + change.name + "` stands in the middle of `" + called.name +
                     "`; let it come before the first statement of that function");
    }
    const Range& call = kernel_.tree.node(calls.front()).range;
    window.region = draft_.region_of(call);
    WS_CHECK(check_whole(window.region, call.line, call.end_line));
    window.last = call.line;
    window.first = behind && outermost ? call.end_line + 1 : call.line;
  }
  while (ws::trimmed(draft_.line_at(window.region, window.first - 1)).starts_with("#pragma")) {
    --window.first;
  }
  return window;
}

}  // namespace ws::lift
