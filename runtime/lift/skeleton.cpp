#include "runtime/lift/skeleton.h"

#include <algorithm>

#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxLines = 2000;
constexpr std::size_t kSpaces = 4;

bool is_control(NodeKind kind) {
  return kind == NodeKind::kBlock || kind == NodeKind::kIf || kind == NodeKind::kFor ||
         kind == NodeKind::kWhile || kind == NodeKind::kDo;
}

Lanes within(const Lanes& active, const Lanes& truth, bool wanted) {
  return zip_lanes(active, truth, [&](std::int64_t a, std::int64_t b) {
    return std::int64_t{a != 0 && (b != 0) == wanted};
  });
}

}  // namespace

Skeleton::Skeleton(const Tree& tree, const LaunchInput& input)
    : tree_(tree),
      input_(input),
      values_(tree, input.block) {
  for (const Node& node : tree_.nodes) {
    if (node.kind == NodeKind::kDeclare && node.kids.size() == 1) {
      initial_[node.index] = node.kids[0];
    }
  }
}

bool Skeleton::is_worthwhile(const Tree& tree, const LaunchInput& input) {
  const Skeleton skeleton(tree, input);
  return skeleton.has_primitives(tree.function(input.entry).body);
}

Status Skeleton::write(const std::string& name, Program& program) {
  methods_.push_back({"body", "", {}});
  names_.emplace_back();
  const Function& entry = tree_.function(input_.entry);
  for (std::size_t i = 0; i < entry.params.size() && i < input_.args.size(); ++i) {
    const Argument& argument = input_.args[i];
    const std::string& own = tree_.variable(entry.params[i]).name;
    names_.back()[entry.params[i]] = argument.kind == Argument::Kind::kTensor
                                         ? "self." + input_.tensors[argument.tensor].name
                                     : argument.text.starts_with("self.") ? argument.text
                                     : argument.text.empty()              ? own
                                                                          : "self." + argument.text;
  }
  if (entry.body != kNone) {
    statement(entry.body);
  }
  close_hole();
  const std::string text = program_text(name);
  const Result<ir::Program> parsed = ir::parse_program(text);
  if (!parsed || lines_ > kMaxLines) {
    return fail(ErrorCode::kInternal, "the skeleton does not parse",
                parsed ? "" : parsed.error().message);
  }
  program.ir = ir::print(*parsed);
  program.holes = holes_;
  program.not_lifted.insert(program.not_lifted.end(), not_lifted_.begin(), not_lifted_.end());
  return {};
}

std::string Skeleton::program_text(const std::string& name) const {
  std::string text = program_head(name, input_);
  for (const std::string& one : build_) {
    text += "        " + one + "\n";
  }
  const bool roles = std::any_of(methods_.begin(), methods_.end(),
                                 [](const Method& method) { return !method.bind.empty(); });
  std::string run = "\n    def run(self):\n";
  for (const Method& method : methods_) {
    const bool first = &method == &methods_.front();
    if (first && !roles) {
      for (const std::string& one : method.lines) {
        run += one + "\n";
      }
      run += method.lines.empty() ? "        pass\n" : "";
      continue;
    }
    const Hole* hole = nullptr;
    for (const Hole& candidate : holes_) {
      hole = candidate.id == method.name ? &candidate : hole;
    }
    text += "\n    def " + method.name + "(self";
    for (const std::string& input : hole == nullptr ? std::vector<std::string>() : hole->inputs) {
      text += input.find('.') == std::string::npos ? ", " + input : "";
    }
    text += "):\n";
    // What all threads do before they part, each role does.
    for (const std::string& one :
         hole == nullptr && !first ? methods_.front().lines : std::vector<std::string>()) {
      text += one + "\n";
    }
    for (const std::string& one : method.lines) {
      text += one + "\n";
    }
    text += method.lines.empty() ? "        pass\n" : "";
    if (!method.bind.empty()) {
      run += "        self.bind(self." + method.name + ", " + method.bind + ")\n";
    }
  }
  return text + run + (roles ? "        self.commit()\n" : "");
}

std::string Skeleton::mark(const Range& range) const {
  if (range.line <= 0 || range.region == kNone) {
    return {};
  }
  return "  # @ " + tree_.regions[static_cast<std::size_t>(range.region)] + ":" +
         std::to_string(range.line) + "-" + std::to_string(std::max(range.line, range.end_line));
}

void Skeleton::line(const std::string& text, const Range& range) {
  ++lines_;
  if (lines_ <= kMaxLines) {
    methods_[current_].lines.push_back(
        std::string(kSpaces * static_cast<std::size_t>(indent_), ' ') + text + mark(range));
  }
}

void Skeleton::statement(NodeId id) {
  const Node& node = tree_.node(id);
  if (lines_ > kMaxLines) {
    return;
  }
  if (node.kind == NodeKind::kBlock) {
    block(node);
  } else if (is_control(node.kind) && has_primitives(id)) {
    control(id);
  } else {
    simple(id);
  }
}

void Skeleton::block(const Node& node) {
  for (const NodeId kid : node.kids) {
    statement(kid);
  }
}

void Skeleton::control(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kIf) {
    branch(node);
  } else {
    loop(node);
  }
}

void Skeleton::branch(const Node& node) {
  close_hole();
  const std::optional<Lanes> truth = values_.of(node.kids[0]);
  if (truth && truth->size() == 1) {
    const std::size_t side = truth->front() != 0 ? 1 : 2;
    if (side < node.kids.size()) {
      statement(node.kids[side]);
    }
    return;
  }
  if (truth) {
    roles(node, *truth);
    return;
  }
  const std::string condition = text(node.kids[0]);
  if (condition.empty()) {
    not_lifted_.push_back({node.range, "a condition that has no form in CuIR"});
  }
  line("if " + (condition.empty() ? "True" : condition) + ":", node.range);
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    if (side == 2) {
      line("else:", {});
    }
    ++indent_;
    const std::size_t before = methods_[current_].lines.size();
    statement(node.kids[side]);
    close_hole();
    if (methods_[current_].lines.size() == before) {
      line("pass", {});
    }
    --indent_;
  }
}

/// Threads part: each side is a role, where both sides orchestrate; else only who does it is said.
void Skeleton::roles(const Node& node, const Lanes& truth) {
  const Lanes around = active_;
  const bool two = node.kids.size() > 2;
  const bool top = current_ == 0 && names_.size() == 1;
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    active_ = within(around, truth, side == 1);
    if (two && top) {
      const Lanes bound = narrowed(node.kids[side], active_);
      current_ = methods_.size();
      methods_.push_back({"role_" + std::to_string(current_), bind_text(bound), {}});
    }
    statement(node.kids[side]);
    close_hole();
    if (two && top) {
      current_ = 0;
    }
  }
  active_ = around;
}

/// The threads that do all of a part's orchestration.
Lanes Skeleton::narrowed(NodeId id, Lanes active) const {
  const Node* node = &tree_.node(id);
  for (;;) {
    const Node* only = nullptr;
    for (const NodeId kid : node->kids) {
      if (node->kind == NodeKind::kBlock && has_primitives(kid)) {
        only = only == nullptr ? &tree_.node(kid) : node;
      }
    }
    const bool single = node->kind == NodeKind::kBlock && only != nullptr && only != node;
    const Node& next = single ? *only : *node;
    if (next.kind != NodeKind::kIf || next.kids.size() != 2) {
      return active;
    }
    const std::optional<Lanes> truth = values_.of(next.kids[0]);
    if (!truth || truth->size() == 1) {
      return active;
    }
    active = within(active, *truth, true);
    node = &tree_.node(next.kids[1]);
  }
}

std::string Skeleton::bind_text(const Lanes& active) const {
  const std::string text = worker_text(active, values_.threads());
  std::string kind = text.substr(0, text.find(' '));
  std::string result;
  if (kind == "block") {
    return "\"block\"";
  }
  kind = kind.ends_with('s') ? kind.substr(0, kind.size() - 1) : kind;
  const std::size_t digits = text.find_first_of("0123456789");
  if (digits == std::string::npos || digits == 0) {
    return "\"block\"";
  }
  const std::size_t dash = text.find('-', digits);
  const int first = std::stoi(text.substr(digits));
  const int last = dash == std::string::npos ? first : std::stoi(text.substr(dash + 1));
  for (int i = first; i <= last; ++i) {
    result += ", " + std::to_string(i);
  }
  return "\"" + kind + "\"" + result;
}

void Skeleton::simple(NodeId id) {
  const Node& node = tree_.node(id);
  if (has_primitives(id)) {
    close_hole();
    primitives(id);
    return;
  }
  if (node.kind == NodeKind::kReturn) {
    return;  // Of a function that is entered, or at the end.
  }
  if (integer_statement(node)) {
    return;
  }
  if (node.kind == NodeKind::kDeclare && node.kids.empty()) {
    return;
  }
  if (!hole_open_) {
    Hole hole;
    hole.id = "hole_" + std::to_string(holes_.size() + 1);
    hole.range = node.range;
    holes_.push_back(std::move(hole));
    hole_open_ = true;
    declared_.clear();
  }
  Hole& hole = holes_.back();
  note_names(id, hole, false);
  hole.range.end_line = std::max(hole.range.end_line, node.range.end_line);
}

void Skeleton::close_hole() {
  if (!hole_open_) {
    return;
  }
  hole_open_ = false;
  const Hole& hole = holes_.back();
  std::string targets;
  std::string args;
  for (const std::string& output : hole.outputs) {
    targets += output.find('.') == std::string::npos ? (targets.empty() ? "" : ", ") + output : "";
  }
  for (const std::string& input : hole.inputs) {
    args += input.find('.') == std::string::npos ? (args.empty() ? "" : ", ") + input : "";
  }
  line((targets.empty() ? "" : targets + " = ") + "self." + hole.id + "(" + args + ")", hole.range);
  methods_.push_back({hole.id, "", {}});
}

}  // namespace ws::lift
