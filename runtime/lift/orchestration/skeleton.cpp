#include "runtime/lift/orchestration/skeleton.h"

#include <algorithm>

#include "runtime/ir/diff/rules.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/orchestration/valued_names.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxLines = 2000;
constexpr std::size_t kSpaces = 4;

bool is_control(NodeKind kind) {
  return kind == NodeKind::kBlock || kind == NodeKind::kIf || kind == NodeKind::kFor ||
         kind == NodeKind::kWhile || kind == NodeKind::kDo;
}

}  // namespace

Skeleton::Skeleton(const Tree& tree, const LaunchInput& input, Symbols& symbols)
    : tree_(tree),
      input_(input),
      symbols_(symbols),
      facts_(tree),
      values_(tree, input.block),
      buffers_(tree, input) {}

bool Skeleton::is_worthwhile() const {
  const NodeId body = tree_.function(input_.entry).body;
  return body != kNone && facts_.has_primitives(body);
}

Status Skeleton::write(const std::string& name, Program& program) {
  // Twice: an array is declared before the product that says that it is a tile.
  walk();
  tiles_.end_first_walk();
  buffers_.shape_by_boxes();
  walk();
  const std::string text = program_text(name);
  Result<ir::Program> parsed = ir::parse_program(text);
  if (!parsed || draft_.lines > kMaxLines) {
    return fail(ErrorCode::kInternal, "the skeleton does not parse",
                parsed ? "" : parsed.error().message);
  }
  settle_names(*parsed);
  program.ir = ir::print(*parsed);
  program.holes = draft_.holes;
  program.registers = tiles_.all(input_.block);
  program.not_lifted.insert(program.not_lifted.end(), draft_.not_lifted.begin(),
                            draft_.not_lifted.end());
  return {};
}

/// Leaves out what reads names without a value, and reports it.
void Skeleton::settle_names(ir::Program& parsed) {
  std::set<std::string> holes;
  for (const Hole& hole : draft_.holes) {
    holes.insert(hole.id);
  }
  for (const Valueless& one : give_names_values(parsed, holes)) {
    draft_.not_lifted.push_back({range_of(one.mark), "`" + one.name + "` has no value here"});
  }
  for (Hole& hole : draft_.holes) {
    const ir::Method* const method = parsed.find_method(hole.id);
    std::erase_if(hole.inputs, [&](const std::string& input) {
      return method != nullptr && input.find('.') == std::string::npos &&
             std::ranges::find(method->params, input, &ir::Param::name) == method->params.end();
    });
  }
}

/// The lines that a mark names; a range without a region where it is none.
Range Skeleton::range_of(const std::string& comment) const {
  const Result<std::optional<ir::Mark>> read = ir::parse_mark(comment, {});
  if (!read || !*read) {
    return {};
  }
  const ir::Mark& found = **read;
  const auto region = std::ranges::find(tree_.regions, found.file);
  return {region == tree_.regions.end() ? kNone
                                        : static_cast<std::int32_t>(region - tree_.regions.begin()),
          static_cast<std::int32_t>(found.first), 0, static_cast<std::int32_t>(found.last), 0};
}

void Skeleton::walk() {
  draft_ = {};
  buffers_.begin_walk();
  refusal_.clear();
  refused_ = {};
  names_.assign(1, {});
  arguments_.clear();
  declared_at_.clear();
  pointers_.clear();
  helpers_.clear();
  moving_.clear();
  results_.clear();
  returns_.clear();
  wanted_.reset();
  open_.clear();
  parted_ = false;
  in_holes_.clear();
  hole_open_ = false;
  active_ = {1};
  indent_ = 2;
  const Function& entry = tree_.function(input_.entry);
  for (std::size_t i = 0; i < entry.params.size() && i < input_.args.size(); ++i) {
    names_.back()[entry.params[i]] = argument_text(input_.args[i], entry.params[i]);
  }
  start_roles();
  if (entry.body != kNone) {
    statement(entry.body);
  }
  close_hole();
  const std::vector<std::string> lines = allocations();
  draft_.build.insert(draft_.build.begin(), lines.begin(), lines.end());
}

/// The first lines of __init__: the block's size, where threads count, and memory.
std::vector<std::string> Skeleton::allocations() const {
  std::vector<std::string> lines = buffers_.allocations();
  if (draft_.cooperation) {
    std::string size;
    for (const std::int64_t threads : input_.block) {
      size += (size.empty() ? "" : ", ") + std::to_string(threads);
    }
    lines.insert(lines.begin(), "self.blockDim = (" + size + ")");
  }
  return lines;
}

std::string Skeleton::method_text(const Method& method, bool first) const {
  const Hole* hole = nullptr;
  for (const Hole& candidate : draft_.holes) {
    hole = candidate.id == method.name ? &candidate : hole;
  }
  std::string text = "\n    def " + method.name + "(self";
  for (const std::string& param : method.params) {
    text += ", " + param;
  }
  for (const std::string& input : hole == nullptr ? std::vector<std::string>() : hole->inputs) {
    text += input.find('.') == std::string::npos ? ", " + input : "";
  }
  text += method.role.kind == WorkerKind::kWarpgroup ? ", wg):\n" : "):\n";
  // Every role does what all threads do before they part.
  std::vector<std::string> lines = hole == nullptr && !first && !method.helper
                                       ? draft_.methods.front().lines
                                       : std::vector<std::string>();
  const std::vector<std::string> own = hole == nullptr ? method.lines : hole_body(*hole);
  lines.insert(lines.end(), own.begin(), own.end());
  bool acts = false;
  for (const std::string& one : lines) {
    text += one + "\n";
    acts = acts || one.find_first_not_of(' ') != one.find('#');
  }
  return text + (acts ? "" : "        pass\n");
}

std::string Skeleton::program_text(const std::string& name) const {
  std::string text = program_head(name, input_);
  for (const std::string& one : draft_.build) {
    text += "        " + one + "\n";
  }
  const bool roles =
      std::any_of(draft_.methods.begin(), draft_.methods.end(),
                  [](const Method& method) { return method.role.kind != WorkerKind::kNobody; });
  std::string run = "\n    def run(self):\n";
  for (const Method& method : draft_.methods) {
    const bool first = &method == &draft_.methods.front();
    if (first) {
      for (const std::string& one : roles ? std::vector<std::string>() : method.lines) {
        run += one + "\n";
      }
      run += !roles && method.lines.empty() ? "        pass\n" : "";
      continue;
    }
    text += method_text(method, first);
    if (method.role.kind != WorkerKind::kNobody) {
      run += "        self.bind(self." + method.name + ", \"" +
             std::string(word_of(method.role.kind)) + "\"";
      for (const int number : method.role.numbers) {
        run += ", " + std::to_string(number);
      }
      run += ")\n";
    }
  }
  return text + run + (roles ? "        self.commit()\n" : "");
}

void Skeleton::line(const std::string& text, const Range& range) {
  if (++draft_.lines <= kMaxLines) {
    draft_.methods[current_].lines.push_back(
        std::string(kSpaces * static_cast<std::size_t>(indent_), ' ') + text +
        mark_of(tree_, site_.line > 0 && range.line >= 0 ? site_ : range));
  }
}

/// Whether nothing was written since, but for comments.
bool Skeleton::has_comments_only(std::size_t since) const {
  const std::vector<std::string>& lines = draft_.methods[current_].lines;
  return std::all_of(
      lines.begin() + static_cast<std::ptrdiff_t>(since), lines.end(),
      [](const std::string& one) { return one.find_first_not_of(' ') == one.find('#'); });
}

/// Reports something that is in the table and has no form here, and leaves a comment in its place.
void Skeleton::lost(const Range& range, const std::string& name, const std::string& why) {
  draft_.not_lifted.push_back({site_.line > 0 ? site_ : range, "`" + name + "`: " + why});
  line("# " + name, range);
}

void Skeleton::statement(NodeId id) {
  const Node& node = tree_.node(id);
  if (draft_.lines > kMaxLines) {
    return;
  }
  const std::optional<Lanes> fixed =
      node.kind == NodeKind::kIf ? exact(node.kids[0]) : std::nullopt;
  if (fixed && fixed->size() == 1) {
    // `if constexpr`: there is one side only.
    const std::size_t side = fixed->front() != 0 ? 1 : 2;
    if (side < node.kids.size()) {
      statement(node.kids[side]);
    }
  } else if (node.kind == NodeKind::kBlock) {
    block(node);
  } else if (facts_.has_primitives(id) && joint_statement(id)) {
    return;
  } else if (is_control(node.kind) && facts_.has_primitives(id)) {
    control(id);
  } else {
    simple(id);
  }
}

void Skeleton::block(const Node& node) {
  open_.push_back({&node, 0, active_});
  for (const NodeId kid : node.kids) {
    ++open_.back().next;
    statement(kid);
    if (parted_) {
      break;
    }
  }
  open_.pop_back();
}

void Skeleton::control(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kIf) {
    branch(node);
  } else {
    loop(node);
  }
}

void Skeleton::simple(NodeId id) {
  const Node& node = tree_.node(id);
  if (facts_.has_primitives(id)) {
    close_hole();
    primitives(id);
    return;
  }
  if (node.kind == NodeKind::kReturn) {
    returned(node);  // The return of a function that was entered, or the end of the kernel.
    return;
  }
  // A reference or a pointer to what has a name here is no more than another name.
  const bool alias = node.kind == NodeKind::kDeclare && !node.kids.empty() &&
                     facts_.is_alias(node) && !text(node.kids[0]).empty();
  if (alias) {
    declared_at_[node.index] = {current_, draft_.methods[current_].lines.size(), indent_};
  }
  if (facts_.is_assertion(id) || pointer_statement(node) || alias || helper_statement(id) ||
      integer_statement(node) || declare_registers(node) || clear_registers(node)) {
    return;
  }
  if (node.kind == NodeKind::kIf && has_integers_only(id)) {
    close_hole();
    sides(node, text(node.kids[0]));
    return;
  }
  if (node.kind == NodeKind::kFor && has_integers_only(id)) {
    close_hole();
    loop(node);
    return;
  }
  open_hole(id);
}

}  // namespace ws::lift
