#include "runtime/lift/orchestration/program_draft.h"

#include <algorithm>
#include <utility>

#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/program_head.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxLines = 2000;
constexpr std::size_t kSpaces = 4;

bool is_comment(const std::string& line) {
  return line.find_first_not_of(' ') == line.find('#');
}

}  // namespace

ProgramDraft::ProgramDraft(const Tree& tree, std::size_t threads)
    : tree_(&tree) {
  methods_.push_back({"body", {WorkerKind::kNobody, {}, Lanes{1}, threads}, {}, {}});
}

void ProgramDraft::line(const std::string& text, const Range& range) {
  if (++count_ <= kMaxLines) {
    if (only_ && current_ == 0) {
      owners_.emplace(lines().size(), *only_);
    }
    methods_[current_].lines.push_back(
        std::string(kSpaces * static_cast<std::size_t>(indent_), ' ') + text +
        mark_of(*tree_, call_.line > 0 && range.line >= 0 ? call_ : range));
  }
}

void ProgramDraft::lost(const Range& range, const std::string& name, const std::string& why) {
  refuse(call_.line > 0 ? call_ : range, "`" + name + "`: " + why);
  line("# " + name, range);
}

bool ProgramDraft::has_comments_only(std::size_t since) const {
  return std::all_of(lines().begin() + static_cast<std::ptrdiff_t>(since), lines().end(),
                     is_comment);
}

bool ProgramDraft::is_full() const {
  return count_ > kMaxLines;
}

bool ProgramDraft::enter_call(const Range& call) {
  const bool fresh = call_.line == 0;
  call_ = fresh ? call : call_;
  return fresh;
}

void ProgramDraft::build(const std::string& text, const Range& range) {
  build_.push_back(text + mark_of(*tree_, call_.line > 0 ? call_ : range));
}

void ProgramDraft::build_first(const std::vector<std::string>& lines) {
  build_.insert(build_.begin(), lines.begin(), lines.end());
}

void ProgramDraft::begin_role(Role role) {
  current_ = methods_.size();
  methods_.push_back({"role_" + std::to_string(current_), std::move(role), {}, {}});
}

ProgramDraft::Place ProgramDraft::begin_function(const std::string& name,
                                                 std::vector<std::string> params) {
  const Place around{std::exchange(current_, methods_.size()),
                     std::exchange(indent_, kMethodDepth)};
  methods_.push_back({name, {}, std::move(params), {}, true});
  return around;
}

void ProgramDraft::end_function(const Place& around) {
  current_ = around.method;
  indent_ = around.depth;
}

bool ProgramDraft::has_method(const std::string& name) const {
  return std::any_of(methods_.begin(), methods_.end(),
                     [&](const Method& method) { return method.name == name; });
}

void ProgramDraft::set_integer(const std::string& name) {
  taken_.insert(name);
  integers_.insert(name);
}

std::string ProgramDraft::new_name(const std::string& prefix) {
  std::string name;
  do {
    name = prefix + std::to_string(++numbers_);
  } while (std::ranges::find(tree_->variables, name, &Variable::name) != tree_->variables.end());
  return name;
}

/// A stand-in has parameters for all that the hole reads besides memory.
void ProgramDraft::fill_stand_in(const Hole& hole, const std::vector<std::string>& lines) {
  for (Method& method : methods_) {
    if (method.name == hole.id) {
      std::copy_if(hole.inputs.begin(), hole.inputs.end(), std::back_inserter(method.params),
                   [](const std::string& input) { return input.find('.') == std::string::npos; });
      method.lines = lines;
    }
  }
}

/// The lines before roles that a role has.
std::vector<std::string> ProgramDraft::lines_before(const Method& method) const {
  const std::string indent(kSpaces * kMethodDepth, ' ');
  std::vector<std::string> lines;
  std::string guard;
  for (std::size_t i = 0; i < methods_.front().lines.size(); ++i) {
    const std::string& line = methods_.front().lines[i];
    const auto owner = owners_.find(i);
    if (owner == owners_.end()) {
      guard.clear();
      lines.push_back(line);
      continue;
    }
    const Lanes common = within(owner->second.lanes, method.role.lanes, true);
    if (std::ranges::count(common, 0) == static_cast<std::ptrdiff_t>(common.size())) {
      continue;
    }
    if (method.role.numbers.size() < 2) {
      lines.push_back(line);
      continue;
    }
    const std::string asked = "if wg == " + std::to_string(owner->second.numbers.front()) + ":";
    if (std::exchange(guard, asked) != asked) {
      lines.push_back(indent + asked);
    }
    lines.push_back(std::string(kSpaces, ' ') + line);
  }
  return lines;
}

std::string ProgramDraft::method_text(const Method& method) const {
  std::string text = "\n    def " + method.name + "(self";
  for (const std::string& param : method.params) {
    text += ", " + param;
  }
  text += method.role.kind == WorkerKind::kWarpgroup ? ", wg):\n" : "):\n";
  // Every role does what all threads do before they part.
  std::vector<std::string> lines = method.alone ? std::vector<std::string>() : lines_before(method);
  lines.insert(lines.end(), method.lines.begin(), method.lines.end());
  for (const std::string& one : lines) {
    text += one + "\n";
  }
  return text + (std::all_of(lines.begin(), lines.end(), is_comment) ? "        pass\n" : "");
}

std::string ProgramDraft::text(const std::string& name, const LaunchInput& input) const {
  std::string text = program_head(name, input);
  for (const std::string& one : build_) {
    text += "        " + one + "\n";
  }
  std::string binds;
  for (std::size_t i = 1; i < methods_.size(); ++i) {
    const Role& role = methods_[i].role;
    text += method_text(methods_[i]);
    if (role.kind != WorkerKind::kNobody) {
      binds += "        self.bind(self." + methods_[i].name + ", \"" +
               std::string(word_of(role.kind)) + "\"";
      for (const int number : role.numbers) {
        binds += ", " + std::to_string(number);
      }
      binds += ")\n";
    }
  }
  text += "\n    def run(self):\n";
  if (!binds.empty()) {
    return text + binds + "        self.commit()\n";
  }
  for (const std::string& one : methods_.front().lines) {
    text += one + "\n";
  }
  return text + (methods_.front().lines.empty() ? "        pass\n" : "");
}

}  // namespace ws::lift
