#include "runtime/lift/lower/lowering_windows.h"

#include <algorithm>
#include <set>

#include "runtime/base/text.h"

namespace ws::lift {
namespace {

/// Lines between two windows that may join them.
constexpr std::int32_t kMaxGap = 4;

/// The name that a line assigns to; empty when it assigns nothing.
std::string assigned(const std::string& line) {
  const std::size_t from = line.find_first_not_of(' ');
  std::size_t to = from == std::string::npos ? 0 : from;
  while (to < line.size() && is_word(line[to])) {
    ++to;
  }
  return to > 0 && line.compare(to, 3, " = ") == 0 ? line.substr(from, to - from) : "";
}

/// Whether the lifter gave `name` to values of the kernel's variable: itself, or with `_`, `_now`
/// or a number after it.
bool stands_for(const std::string& name, const std::string& variable) {
  if (!name.starts_with(variable)) {
    return false;
  }
  const std::string rest = name.substr(variable.size());
  return rest.empty() || rest == "_" || rest == "_now" ||
         (rest[0] == '_' && rest.find_first_not_of("0123456789", 1) == std::string::npos);
}

bool is_assigned(const std::vector<ProgramLine>& lines, const std::string& variable) {
  return std::any_of(lines.begin(), lines.end(), [&](const ProgramLine& line) {
    const std::string name = assigned(line.text);
    return !name.empty() && stands_for(name, variable);
  });
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Lines of a region that statements are tied to which both programs have.
std::set<std::int32_t> kept_lines(const std::vector<ProgramLine>& source,
                                  const std::vector<ProgramLine>& target,
                                  const std::string& region) {
  std::set<std::string> in_target;
  for (const ProgramLine& line : target) {
    in_target.insert(line.text);
  }
  std::set<std::int32_t> kept;
  for (const ProgramLine& line : source) {
    if (line.mark && line.mark->file == region && in_target.contains(line.text)) {
      for (std::uint32_t n = line.mark->first; n <= line.mark->last; ++n) {
        kept.insert(static_cast<std::int32_t>(n));
      }
    }
  }
  return kept;
}

/// Whether a range holds all lines of a window.
bool holds(const Tree& tree, const Range& range, const Window& window) {
  return range.region != kNone &&
         tree.regions[static_cast<std::size_t>(range.region)] == window.region &&
         range.line <= window.first && range.end_line >= window.last;
}

bool only_goes(const Window& window) {
  return window.becomes.empty();
}

}  // namespace

FunctionId function_of(const Tree& tree, const Window& window) {
  for (std::size_t i = 0; i < tree.functions.size(); ++i) {
    if (holds(tree, tree.functions[i].range, window)) {
      return static_cast<FunctionId>(i);
    }
  }
  return kNone;
}

Window parameter_lines(const Tree& tree, const Function& function) {
  return {tree.regions[static_cast<std::size_t>(function.range.region)],
          function.range.line,
          tree.node(function.body).range.line,
          {},
          {},
          {}};
}

void add_callers(const Tree& tree, FunctionId entry, std::vector<Window>& windows) {
  std::set<FunctionId> reached;
  std::vector<FunctionId> open;
  const auto reach = [&](const Window& window) {
    const FunctionId function = function_of(tree, window);
    if (function != kNone && function != entry && reached.insert(function).second) {
      open.push_back(function);
    }
  };
  for (const Window& window : windows) {
    if (!only_goes(window)) {
      reach(window);
    }
  }
  while (!open.empty()) {
    const Function& called = tree.function(open.back());
    open.pop_back();
    if (called.body == kNone) {
      continue;
    }
    windows.push_back(parameter_lines(tree, called));
    for (const Node& node : tree.nodes) {
      const bool calls = node.kind == NodeKind::kCall && node.index != kNone &&
                         tree.function(node.index).range.line == called.range.line &&
                         tree.function(node.index).range.region == called.range.region;
      if (calls && node.range.region != kNone) {
        windows.push_back({tree.regions[static_cast<std::size_t>(node.range.region)],
                           node.range.line,
                           std::max(node.range.line, node.range.end_line),
                           {},
                           {}});
        reach(windows.back());
      }
    }
  }
}

void add_declarations(const std::vector<ProgramLine>& source,
                      const std::vector<ProgramLine>& target, const Tree& tree, FunctionId entry,
                      std::vector<Window>& windows) {
  const Range& whole = tree.function(entry).range;
  for (const Node& node : tree.nodes) {
    const Range& at = node.range;
    if (node.kind != NodeKind::kDeclare || at.region == kNone || at.region != whole.region ||
        at.line < whole.line || at.line > whole.end_line) {
      continue;
    }
    const std::string& name = tree.variable(node.index).name;
    if (is_assigned(source, name) && !is_assigned(target, name)) {
      windows.push_back({tree.regions[static_cast<std::size_t>(at.region)],
                         at.line,
                         std::max(at.line, at.end_line),
                         {},
                         {}});
    }
  }
}

std::pair<std::int32_t, std::int32_t> nest_around(const std::vector<ProgramLine>& source,
                                                  const Tree& tree, const Window& window) {
  std::pair nest{window.first, window.last};
  const FunctionId function = function_of(tree, window);
  if (function == kNone) {
    return nest;
  }
  const Range& whole = tree.function(function).range;
  for (const Node& node : tree.nodes) {
    const Range& at = node.range;
    const bool control = node.kind == NodeKind::kFor || node.kind == NodeKind::kWhile ||
                         node.kind == NodeKind::kDo || node.kind == NodeKind::kIf;
    const bool around = control && at.region == whole.region && at.line > whole.line &&
                        at.line <= window.first && at.end_line >= window.last;
    const auto is_elsewhere = [&](const ProgramLine& line) {
      const auto first = line.mark ? static_cast<std::int32_t>(line.mark->first) : 0;
      return first < at.line || first > at.end_line ||
             (first >= window.first && first <= window.last);
    };
    if (around && std::all_of(source.begin(), source.end(), is_elsewhere)) {
      nest = {std::min(nest.first, at.line), std::max(nest.second, at.end_line)};
    }
  }
  return nest;
}

void widen_insertions(const std::vector<ProgramLine>& source, const Tree& tree,
                      std::vector<Window>& windows) {
  for (Window& window : windows) {
    window.nest = nest_around(source, tree, window);
    if (window.was.empty()) {
      window.last = window.nest.second;
    }
  }
}

void join_windows(const std::vector<ProgramLine>& source, const std::vector<ProgramLine>& target,
                  std::vector<Window>& windows) {
  std::stable_sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
    return std::pair(a.region, a.first) < std::pair(b.region, b.first);
  });
  std::vector<Window> joined;
  for (const Window& window : windows) {
    bool joins = !joined.empty() && joined.back().region == window.region;
    if (joins && joined.back().last < window.first) {
      const std::set<std::int32_t> kept = kept_lines(source, target, window.region);
      const auto next = kept.upper_bound(joined.back().last);
      joins = (only_goes(joined.back()) || only_goes(window)) &&
              window.first - joined.back().last <= kMaxGap &&
              (next == kept.end() || *next >= window.first);
    }
    if (!joins) {
      joined.push_back(window);
      continue;
    }
    joined.back().last = std::max(joined.back().last, window.last);
    joined.back().nest.second = std::max(joined.back().nest.second, window.nest.second);
    append(joined.back().was, window.was);
    append(joined.back().becomes, window.becomes);
  }
  windows = std::move(joined);
}

}  // namespace ws::lift
