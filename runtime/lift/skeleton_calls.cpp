// Calls and inline assembly of a skeleton: wrappers are entered, so that a call of one is what its
// assembly does, with the caller's names.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/skeleton.h"

namespace ws::lift {
namespace {

constexpr int kMaxCalls = 16;

bool orchestrates(const Meaning* meaning) {
  return meaning != nullptr &&
         (meaning->effect == Effect::kCopy || meaning->effect == Effect::kProduct ||
          meaning->effect == Effect::kSync);
}

/// Words of `text` that are roles, replaced by the arguments; empty: one of them is not known.
std::string filled(std::string_view text, std::string_view roles,
                   const std::vector<std::string>& args) {
  std::map<std::string, std::string, std::less<>> values;
  std::size_t index = 0;
  while (!roles.empty()) {
    const std::size_t end = std::min(roles.find(", "), roles.size());
    values[std::string(roles.substr(0, end))] = index < args.size() ? args[index] : "";
    roles.remove_prefix(std::min(end + 2, roles.size()));
    ++index;
  }
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    const auto value = values.find(text.substr(at, end - at));
    if (end == at) {
      made += text[at++];
      continue;
    }
    // `acc=d`: the word before = is a parameter's name, not a role.
    const bool parameter = end < text.size() && text[end] == '=';
    if (value != values.end() && !parameter) {
      if (value->second.empty()) {
        return {};
      }
      made += value->second;
    } else {
      made += text.substr(at, end - at);
    }
    at = end;
  }
  return made;
}

/// The operands of one instruction, in order: the number behind each %, or the number itself.
std::vector<std::string> operands_of(std::string_view instruction) {
  std::vector<std::string> found;
  const std::size_t first = std::min(instruction.find_first_of(" \t\n["), instruction.size());
  bool group = false;
  for (std::size_t at = first; at < instruction.size();) {
    const char c = instruction[at];
    if (c == '{') {
      group = true;
      found.emplace_back();
    } else if (c == '}') {
      group = false;
    } else if (c == '%' || is_digit(c) || is_word_start(c)) {
      std::size_t end = at + 1;
      while (end < instruction.size() && is_word(instruction[end])) {
        ++end;
      }
      const std::string word(instruction.substr(at, end - at));
      if (!group) {
        found.push_back(word);
      } else if (found.back().empty()) {
        found.back() = word;  // A group of registers is known by its first one.
      }
      at = end;
      continue;
    }
    ++at;
  }
  return found;
}

}  // namespace

bool Skeleton::has_primitives(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAsm) {
    const std::vector<std::string> all = instructions_of(node.text);
    return std::any_of(all.begin(), all.end(),
                       [](const std::string& one) { return orchestrates(meaning_of_ptx(one)); });
  }
  if (node.kind == NodeKind::kCall && node.index == kNone &&
      orchestrates(meaning_of_function(node.text))) {
    return true;
  }
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    const NodeId body = tree_.function(node.index).body;
    // A function that calls itself adds nothing to what it has: false until that is known.
    const auto [known, is_new] = primitive_.emplace(node.index, false);
    if (is_new && body != kNone) {
      primitive_[node.index] = has_primitives(body);
    }
    if (known->second) {
      return true;
    }
  }
  return std::any_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return has_primitives(kid); });
}

/// Of one statement, in the order of its evaluation.
void Skeleton::primitives(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAsm) {
    assembly(node);
    return;
  }
  for (const NodeId kid : node.kids) {
    if (has_primitives(kid)) {
      primitives(kid);
    }
  }
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    called(node);
  } else if (node.kind == NodeKind::kCall) {
    const Meaning* meaning = meaning_of_function(node.text);
    if (orchestrates(meaning)) {
      std::vector<std::string> args;
      for (const NodeId kid : node.kids) {
        args.push_back(text(kid));
      }
      primitive(meaning, node.text, args, node.range);
    }
  }
}

void Skeleton::called(const Node& node) {
  const Function& callee = tree_.function(node.index);
  if (callee.body == kNone || !has_primitives(callee.body) || names_.size() > kMaxCalls) {
    return;
  }
  std::map<VariableId, std::string> names;
  for (std::size_t i = 0; i < callee.params.size() && i < node.kids.size(); ++i) {
    names[callee.params[i]] = text(node.kids[i]);
  }
  names_.push_back(std::move(names));
  statement(callee.body);
  close_hole();
  names_.pop_back();
}

void Skeleton::assembly(const Node& node) {
  for (const std::string& one : instructions_of(node.text)) {
    const Meaning* meaning = meaning_of_ptx(one);
    const std::string name = one.substr(0, one.find_first_of(" \t\n[{"));
    if (meaning == nullptr) {
      not_lifted_.push_back({node.range, "`" + name + "` is not in the table"});
      line("# " + name, node.range);
      continue;
    }
    if (!orchestrates(meaning)) {
      continue;
    }
    std::vector<std::string> args;
    for (const std::string& operand : operands_of(one)) {
      const bool numbered = operand.size() > 1 && operand[0] == '%' && is_digit(operand[1]);
      const std::size_t index = numbered ? std::stoul(operand.substr(1, 4)) : 0;
      args.push_back(!numbered                  ? (is_digit(operand[0]) ? operand : "")
                     : index < node.kids.size() ? text(node.kids[index])
                                                : "");
    }
    primitive(meaning, name, args, node.range);
  }
}

void Skeleton::primitive(const Meaning* meaning, const std::string& name,
                         const std::vector<std::string>& args, const Range& range) {
  const std::string made = filled(meaning->operation, meaning->roles, args);
  if (made.empty()) {
    not_lifted_.push_back({range, "`" + name + "`: " + std::string(meaning->meaning)});
    line("# " + name, range);
    return;
  }
  if (made.ends_with("init(" + (args.size() > 1 ? args[1] : "") + ")") && !args.empty()) {
    barrier_of(args[0], args.size() > 1 ? args[1] : "1", range);
    return;
  }
  line(made, range);
}

/// A barrier is made where the program is built.
void Skeleton::barrier_of(const std::string& barrier, const std::string& count,
                          const Range& range) {
  const std::size_t bracket = barrier.find('[');
  const std::string name = barrier.substr(0, bracket);
  if (std::find(barriers_.begin(), barriers_.end(), name) != barriers_.end()) {
    return;
  }
  barriers_.push_back(name);
  std::int64_t size = 1;
  for (const Variable& variable : tree_.variables) {
    const bool array = variable.type != kNone && tree_.type(variable.type).kind == TypeKind::kArray;
    size = "self." + variable.name == name && array ? tree_.type(variable.type).count : size;
  }
  build_.push_back(name + " = barrier(" + std::to_string(std::max<std::int64_t>(size, 1)) + ")" +
                   mark(range));
  build_.push_back(name + ".init(" + count + ")");
}

}  // namespace ws::lift
