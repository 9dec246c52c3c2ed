#include "runtime/lift/lower/lowering.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "runtime/base/text.h"
#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/lift/lower/hunks.h"
#include "runtime/lift/lower/lowering_windows.h"

namespace ws::lift {
namespace {

constexpr std::size_t kShownName = 60;

/// A client's marks say nothing: where statements belong follows from those of the kernel's own.
void strip_marks(ir::Program& program) {
  for (ir::Stmt& stmt : program.stmts) {
    stmt.trailing = stmt.trailing.starts_with("# @") ? "" : stmt.trailing;
  }
  for (ir::Method& method : program.methods) {
    method.trailing = method.trailing.starts_with("# @") ? "" : method.trailing;
  }
}

Result<ir::Program> parsed(const std::string& text) {
  Result<ir::Program> program = ir::parse_program(text);
  if (!program) {
    return fail(ErrorCode::kInvalidArgument,
                "`target_ir` does not parse: " + program.error().message, program.error().hint);
  }
  return program;
}

std::set<std::string> arguments_of(const ir::Program& program) {
  std::set<std::string> names;
  if (const ir::Method* init = program.find_method("__init__")) {
    for (const ir::Param& param : init->params) {
      names.insert(param.name);
    }
  }
  return names;
}

Status same_kernel(const ir::Program& lifted, const ir::Program& target) {
  const std::string hint = "begin with the program that lift_to_ir gives, and change that";
  if (lifted.name != target.name) {
    return fail(ErrorCode::kInvalidArgument,
                "`target_ir` is of another kernel: its class is `" +
                    target.name.substr(0, kShownName) + "`, and this kernel's is `" + lifted.name +
                    "`",
                hint);
  }
  const std::set<std::string> has = arguments_of(target);
  for (const std::string& name : arguments_of(lifted)) {
    if (!has.contains(name)) {
      return fail(ErrorCode::kInvalidArgument,
                  "`target_ir` is of another kernel: it has no argument `" + name + "`", hint);
    }
  }
  return {};
}

void add(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty()) {
    list.push_back(text);
  }
}

/// The lines of a hunk, each in its window. Lines that only come belong beside the statement that
/// they follow, or else are in front of, where that one stands in their block and the other does
/// not.
void add_hunk(const std::vector<ProgramLine>& source, const std::vector<ProgramLine>& target,
              const Hunk& hunk, Lowering& lowering) {
  std::optional<std::size_t> into;
  const auto window_of = [&](const ir::Mark& mark) {
    lowering.windows.push_back({mark.file,
                                static_cast<std::int32_t>(mark.first),
                                static_cast<std::int32_t>(mark.last),
                                {},
                                {}});
    return lowering.windows.size() - 1;
  };
  for (std::size_t i = hunk.first; i < hunk.last; ++i) {
    if (!source[i].mark) {
      add(lowering.plan_was, std::string(ws::trimmed(source[i].text)));
      continue;
    }
    const std::size_t at = window_of(*source[i].mark);
    into = into.value_or(at);
    add(lowering.windows[at].was, std::string(ws::trimmed(source[i].text)));
  }
  if (hunk.first == hunk.last) {
    const std::size_t before = hunk.first - 1;  // The class's own line is the first.
    const std::size_t after = std::min(hunk.last, source.size() - 1);
    const bool deeper = hunk.first > 0 && hunk.target_first < target.size() &&
                        indent_of(source[before]) != indent_of(target[hunk.target_first]) &&
                        indent_of(source[after]) == indent_of(target[hunk.target_first]);
    if (hunk.first > 0 && source[before].mark && !(deeper && source[after].mark)) {
      into = window_of(*source[before].mark);
    } else if (source[after].mark) {
      into = window_of(*source[after].mark);
    }
  }
  for (std::size_t i = hunk.target_first; i < hunk.target_last; ++i) {
    add(into ? lowering.windows[*into].becomes : lowering.plan_becomes,
        std::string(ws::trimmed(target[i].text)));
  }
}

std::string lines_text(std::int64_t from, std::int64_t to) {
  return from == to ? std::to_string(from) : std::to_string(from) + "-" + std::to_string(to);
}

bool meets(const Window& window, const Range& range, const Tree& tree) {
  return range.region != kNone &&
         tree.regions[static_cast<std::size_t>(range.region)] == window.region &&
         range.line <= window.last && std::max(range.line, range.end_line) >= window.first;
}

/// Whether text before this line is beside the nest of a window; what is told to the compiler about
/// a loop (#pragma unroll) stands in a line before it.
bool is_beside_nest(const Window& window, std::int64_t line) {
  const auto [first, last] = window.nest;
  return first > 0 && (line == first || line == first - 1 || line == last + 1);
}

}  // namespace

Result<Lowering> plan_lowering(const std::string& lifted, const std::string& target,
                               const Tree& tree, FunctionId entry) {
  WS_TRY(const ir::Program source, ir::parse_program(lifted));
  WS_TRY(ir::Program changed, parsed(target));
  WS_CHECK(same_kernel(source, changed));
  strip_marks(changed);
  Lowering lowering;
  lowering.target = ir::print(changed);
  WS_TRY(changed, parsed(lowering.target));
  WS_TRY(const ir::ProgramDiff diff, ir::diff_programs(source, changed));
  for (const ir::Rule rule : diff.rules.list()) {
    lowering.rules.emplace_back(ir::word_of(rule));
  }
  for (const ir::Breach& breach : diff.breaches) {
    lowering.breaches.push_back(breach.message);
  }
  WS_TRY(const std::vector<ProgramLine> before, lines_of(source));
  WS_TRY(const std::vector<ProgramLine> after, lines_of(changed));
  WS_TRY(const std::vector<Hunk> hunks, hunks_of(before, after));
  for (const Hunk& hunk : hunks) {
    add_hunk(before, after, hunk, lowering);
  }
  widen_insertions(before, tree, lowering.windows);
  add_callers(tree, entry, lowering.windows);
  lowering.arguments = arguments_of(source) != arguments_of(changed);
  const Function& function = tree.function(entry);
  if (lowering.arguments && function.range.region != kNone && function.body != kNone) {
    lowering.windows.push_back(parameter_lines(tree, function));
  }
  add_declarations(before, after, tree, entry, lowering.windows);
  join_windows(before, after, lowering.windows);
  return lowering;
}

std::string outside(const Lowering& lowering, const std::string& region, std::int64_t from,
                    std::int64_t to) {
  const Window* nearest = nullptr;
  std::int64_t least = 0;
  for (const Window& window : lowering.windows) {
    if (window.region != region) {
      continue;
    }
    const bool inserts = to < from;
    const std::int64_t last = window.last + (inserts ? 1 : 0);
    if (from >= window.first && from <= last && to <= window.last) {
      return {};
    }
    if (inserts && is_beside_nest(window, from)) {
      return {};
    }
    const std::int64_t away =
        from < window.first ? window.first - from : std::max<std::int64_t>(0, to - window.last);
    if (nearest == nullptr || away < least) {
      nearest = &window;
      least = away;
    }
  }
  const std::string lines = to < from    ? "line " + std::to_string(from) + " is"
                            : from == to ? "line " + std::to_string(from) + " is"
                                         : "lines " + lines_text(from, to) + " are";
  return lines + " in no window; " +
         (nearest == nullptr ? "there is none in `" + region + "`"
                             : "the nearest is " + nearest->region + ":" +
                                   lines_text(nearest->first, nearest->last));
}

std::vector<std::string> lost_regions(const Lowering& lowering, const Tree& tree, FunctionId entry,
                                      const std::vector<Region>& before,
                                      const std::vector<Region>& after) {
  const auto in_window = [&](const Range& range) {
    return std::any_of(lowering.windows.begin(), lowering.windows.end(),
                       [&](const Window& window) { return meets(window, range, tree); });
  };
  for (const Node& node : tree.nodes) {
    const bool control = node.kind == NodeKind::kFor || node.kind == NodeKind::kWhile ||
                         node.kind == NodeKind::kDo || node.kind == NodeKind::kIf;
    Range head = node.range;
    head.end_line = head.line;
    if (control && head.line > tree.function(entry).range.line && in_window(head)) {
      return {};
    }
  }
  const auto own_id = [](const std::string& id) { return id.substr(0, id.find('_')); };
  std::map<std::string, int> left;
  for (const Region& region : after) {
    ++left[own_id(region.id)];
  }
  std::vector<std::string> lost;
  for (const Region& region : before) {
    if (!in_window(region.range) && left[own_id(region.id)]-- <= 0) {
      lost.push_back(
          region.id + " (lines " +
          lines_text(region.range.line, std::max(region.range.line, region.range.end_line)) + ")");
    }
  }
  return lost;
}

}  // namespace ws::lift
