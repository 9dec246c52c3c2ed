#include "runtime/lift/lower/element_edits.h"

#include <algorithm>
#include <map>
#include <optional>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/printer.h"
#include "runtime/lift/lower/c_levels.h"
#include "runtime/lift/lower/c_text.h"
#include "runtime/lift/lower/edit_draft.h"
#include "runtime/lift/lower/element_places.h"
#include "runtime/lift/lower/kernel_scope.h"
#include "runtime/lift/lower/register_loop.h"

namespace ws::lift {
namespace {

/// The text of an expression of variables: "acc / total" of `acc[4 * i] / total[r]`; empty: it has
/// other parts, or needs parentheses.
std::string plain_text(const Tree& tree, NodeId id) {
  const Node& node = tree.node(id);
  if (const VariableId variable = variable_of(tree, id); variable != kNone) {
    return tree.variable(variable).name;
  }
  if (node.kind != NodeKind::kBinary || node.kids.size() != 2) {
    return {};
  }
  const std::string op = operator_text(node);
  const std::string left = plain_text(tree, node.kids[0]);
  const std::string right = plain_text(tree, node.kids[1]);
  const Level least = op == "+" || op == "-" ? Level::kSum : Level::kProduct;
  const bool apart = level_of(left) < least || level_of(right) < Level::kSimple;
  return apart || left.empty() || right.empty() ? "" : left + " " + op + " " + right;
}

class Edits {
 public:
  Edits(const EditedKernel& kernel, const ReadProgram& lifted, const ReadProgram& target)
      : kernel_(kernel),
        lifted_(lifted),
        target_(target),
        scope_(kernel.tree, kernel.entry),
        draft_(kernel.tree, kernel.lines),
        places_(kernel, lifted, target, scope_, draft_) {
    for (const RegisterTile& tile : kernel.registers) {
      tiles_.insert(tile.name);
    }
    note_values();
  }

  Status add(const ValueChange& change) {
    switch (change.kind) {
      case ValueChange::Kind::kInteger:
        return integer(change);
      case ValueChange::Kind::kInside:
        return inside(change);
      default:
        return elements(change);
    }
  }

  /// The parameters for the kernel's new arguments.
  Status parameters();

  [[nodiscard]] std::vector<ProposedEdit> made() const { return draft_.made(); }

 private:
  Status integer(const ValueChange& change);
  Status inside(const ValueChange& change);
  Status elements(const ValueChange& change);
  [[nodiscard]] std::vector<IndexText> integers_at(std::int32_t line) const;
  void note_values();
  [[nodiscard]] std::string unused(std::string wish, const std::vector<std::string>& texts) const;
  [[nodiscard]] std::vector<std::string> extents(const ArrayVariable& array) const;
  Result<std::string> element_value(const ValueChange& change, const RegisterLoop& loop,
                                    std::int32_t line) const;
  Result<std::string> loop(const ValueChange& change, const RegisterTile& tile,
                           const ArrayVariable& array, const Window& place) const;

  const EditedKernel& kernel_;
  const ReadProgram& lifted_;
  const ReadProgram& target_;
  const KernelScope scope_;
  std::set<std::string> tiles_;
  std::map<std::string, std::string> values_;  ///< By name of the program.
  EditDraft draft_;
  const ElementPlaces places_;
};

/// The one value that the program gives each name; empty: it gives several.
void Edits::note_values() {
  for (const ProgramLine& line : lifted_.lines) {
    const std::string text(ws::trimmed(line.text));
    const std::size_t blank = text.find(' ');
    const std::size_t equals = text.find("= ", std::min(blank, text.size()));
    if (equals == text.npos || equals > blank + 3) {
      continue;
    }
    const bool plain = equals == blank + 1;
    const std::string value = plain ? text.substr(equals + 2) : "";  // Else it changes: `+=`.
    const auto [known, fresh] = values_.emplace(text.substr(0, blank), value);
    known->second = fresh || known->second == value ? value : "";
  }
}

/// The integers that text before `line` may use; for one that the program computes, also its value.
std::vector<IndexText> Edits::integers_at(std::int32_t line) const {
  std::vector<IndexText> integers = scope_.integers(line, kernel_.arguments);
  const std::size_t count = integers.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = values_.find(integers[i].ir);
    if (value != values_.end() && !value->second.empty()) {
      integers.push_back({integers[i].c, value->second});
    }
  }
  return integers;
}

/// A name that begins with `wish`, and that neither the kernel's entry nor a text has.
std::string Edits::unused(std::string wish, const std::vector<std::string>& texts) const {
  const auto taken = [&] {
    return scope_.has(wish) ||
           std::any_of(kernel_.inputs.begin(), kernel_.inputs.end(),
                       [&](const NewInput& input) { return input.name == wish; }) ||
           std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return has_word(text, wish); });
  };
  while (taken()) {
    wish += "_";
  }
  return wish;
}

/// The sizes of an array as its declaration has them, which other parameters change with it; as
/// numbers where they are not read there.
std::vector<std::string> Edits::extents(const ArrayVariable& array) const {
  const Variable& variable = kernel_.tree.variable(array.id);
  std::vector<std::string> numbers;
  numbers.reserve(array.dims.size());
  for (const std::int64_t size : array.dims) {
    numbers.push_back(std::to_string(size));
  }
  const std::string line =
      variable.range.region == kNone
          ? ""
          : draft_.line_at(draft_.region_of(variable.range), variable.range.line);
  std::size_t at = line.find(" " + variable.name + "[");
  at += at == std::string::npos ? 0 : variable.name.size() + 1;
  std::vector<std::string> texts;
  while (at < line.size() && line[at] == '[') {
    const std::size_t end = line.find(']', at);
    const std::string text = line.substr(at + 1, end - at - 1);
    if (end == std::string::npos || text.empty() || text.find('[') != std::string::npos) {
      return numbers;
    }
    texts.push_back(text);
    at = end + 1;
  }
  return texts.size() == numbers.size() ? texts : numbers;
}

/// One declaration can be a statement in each of several roles.
Status Edits::integer(const ValueChange& change) {
  const NodeId initial = scope_.initial(change.name);
  if (initial == kNone) {
    return no_form("`" + change.name +
                   "` changes neither by its elements nor is it an integer that is declared with "
                   "its value");
  }
  const Range& range = kernel_.tree.node(initial).range;
  WS_TRY(const Window window, places_.lines_of(change));
  if (range.region == kNone || draft_.region_of(range) != window.region ||
      range.line < window.first || range.line > window.last) {
    return no_form("`" + change.name + "` changes behind its declaration");
  }
  const std::string was(ws::trimmed(lifted_.lines[change.line].text));
  // Where the old value is a part of the new one, its text stays.
  CText c(target_.program, {{was.substr(was.find(" = ") + 3), draft_.text_at(range)}},
          integers_at(range.line));
  for (const auto& [name, value] : change.defined) {
    c.define(name, value);
  }
  WS_TRY(const std::string text, c.of(change.value));
  return draft_.replace(range, text);
}

Status Edits::inside(const ValueChange& change) {
  WS_TRY(const Window window, places_.lines_of(change));
  bool found = false;
  for (std::size_t i = 0; i < kernel_.tree.nodes.size(); ++i) {
    const Range& range = kernel_.tree.nodes[i].range;
    const bool there = range.region != kNone && draft_.region_of(range) == window.region &&
                       range.line >= window.first && range.line <= window.last;
    if (!there || plain_text(kernel_.tree, static_cast<NodeId>(i)) != change.old ||
        draft_.text_at(range).empty()) {
      continue;
    }
    CText c(target_.program, {{change.old, draft_.text_at(range)}}, {});
    for (const auto& [name, value] : change.defined) {
      c.define(name, value);
    }
    WS_TRY(const std::string text, c.of(change.value));
    WS_CHECK(draft_.replace(range, "(" + text + ")"));
    found = true;
  }
  return found ? Status()
               : no_form("no expression of lines " + std::to_string(window.first) + "-" +
                         std::to_string(window.last) + " is `" + change.old + "`");
}

/// The value of one element of a tile, by the names that the loop gives its place.
Result<std::string> Edits::element_value(const ValueChange& change, const RegisterLoop& loop,
                                         std::int32_t line) const {
  std::vector<IndexText> integers = integers_at(line);
  integers.push_back({loop.row, "arange(" + std::to_string(loop.tile.rows) + ")[:, None]"});
  integers.push_back({loop.col, "arange(" + std::to_string(loop.tile.cols) + ")[None, :]"});
  std::map<std::string, std::string> names = {{change.old, loop.element}};
  if (change.name == loop.tile.name) {
    names.emplace(loop.tile.name, loop.element);
  }
  CText index(target_.program, {}, integers);
  std::vector<ir::ExprId> read = {change.value};
  for (const auto& [name, value] : change.defined) {
    index.define(name, value);
    read.push_back(value);
  }
  for (const ir::ExprId one : read) {
    WS_TRY(auto texts, input_texts(target_.program, one, kernel_.inputs, kernel_.arguments, index,
                                   {loop.row, loop.col, loop.tile.rows, loop.tile.cols}));
    names.merge(texts);
  }
  CText c(target_.program, std::move(names), integers);
  for (const auto& [name, value] : change.defined) {
    c.define(name, value);
  }
  return c.of(change.value);
}

Result<std::string> Edits::loop(const ValueChange& change, const RegisterTile& tile,
                                const ArrayVariable& array, const Window& place) const {
  const std::vector<std::string> sizes = extents(array);
  RegisterLoop loop{.tile = tile,
                    .counters = {},
                    .sizes = sizes,
                    .element = tile.name,
                    .row = unused("row", sizes),
                    .col = unused("col", sizes)};
  for (const std::int64_t size : array.dims) {
    const char letter = static_cast<char>('e' + loop.counters.size());
    loop.counters.push_back({unused(std::string(1, letter), sizes), size, false});
    loop.element += "[" + loop.counters.back().text + "]";
  }
  WS_TRY(const std::string value, element_value(change, loop, place.first));
  const std::string beside = draft_.line_at(place.region, place.last);
  return loop_text(loop, value, std::min(beside.find_first_not_of(' '), beside.size()));
}

Status Edits::elements(const ValueChange& change) {
  const std::size_t from = change.line + (change.kind == ValueChange::Kind::kBehind ? 1 : 0);
  const std::string held = registers_of(lifted_, tiles_, change.name, from);
  const auto tile = std::find_if(kernel_.registers.begin(), kernel_.registers.end(),
                                 [&](const RegisterTile& one) { return one.name == held; });
  const std::optional<ArrayVariable> array = scope_.array(held);
  std::int64_t count = array ? 1 : 0;
  for (const std::int64_t size : array ? array->dims : std::vector<std::int64_t>()) {
    count *= size;
  }
  constexpr std::size_t kMostDims = 4;
  if (!array || tile == kernel_.registers.end() || tile->places.empty() ||
      array->dims.size() > kMostDims || count != static_cast<std::int64_t>(tile->places.size())) {
    return no_form("no array of the kernel holds `" + change.name + "`");
  }
  WS_TRY(const Window place, places_.before(change, array->id));
  WS_TRY(const std::string text, loop(change, *tile, *array, place));
  draft_.insert(place.region, place.first, text);
  return {};
}

Status Edits::parameters() {
  const std::vector<VariableId>& params = kernel_.tree.function(kernel_.entry).params;
  if (kernel_.inputs.empty()) {
    return {};
  }
  if (params.empty()) {
    return no_form("the kernel has no parameter that another one could follow");
  }
  const Range& last = kernel_.tree.variable(params.back()).range;
  std::string text = draft_.text_at(last);
  for (const NewInput& input : kernel_.inputs) {
    if (scope_.has(input.name)) {
      return no_form("the kernel has a variable `" + input.name + "` already");
    }
    WS_TRY(const std::string param, parameter_text(input));
    text += ", " + param;
  }
  return draft_.replace(last, text);
}

}  // namespace

Result<std::vector<ProposedEdit>> element_edits(const EditedKernel& kernel,
                                                const ReadProgram& lifted,
                                                const ReadProgram& target,
                                                const std::vector<ValueChange>& changes) {
  Edits edits(kernel, lifted, target);
  for (const ValueChange& change : changes) {
    WS_CHECK(edits.add(change));
  }
  WS_CHECK(edits.parameters());
  return edits.made();
}

}  // namespace ws::lift
