// Calls and inline assembly of a skeleton: wrappers are entered, so that a call of one is what its
// assembly does, with the caller's names.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/matrices.h"
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
    if (orchestrates(meaning) && meaning->effect != Effect::kSync) {
      lost_by_threads(*meaning, node.text, node.range);
    } else if (orchestrates(meaning)) {
      std::vector<std::string> args;
      for (const NodeId kid : node.kids) {
        args.push_back(text(kid));
      }
      primitive(meaning, node.text, std::move(args), node.range);
    }
  }
}

/// What threads or warps do one by one: only the block's statement as a whole has a form here.
void Skeleton::lost_by_threads(const Meaning& meaning, const std::string& name,
                               const Range& range) {
  lost(range, name, std::string(meaning.meaning) + (refusal_.empty() ? "" : ": " + refusal_));
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
  // What a helper file does is tied to the line that calls it.
  const bool helper = callee.range.region != node.range.region && site_.line == 0;
  site_ = helper ? node.range : site_;
  names_.push_back(std::move(names));
  statement(callee.body);
  close_hole();
  names_.pop_back();
  site_ = helper ? Range() : site_;
}

void Skeleton::assembly(const Node& node) {
  for (const std::string& one : instructions_of(node.text)) {
    const Meaning* meaning = meaning_of_ptx(one);
    const Instruction parts = take_apart(one);
    if (parts.name.starts_with("setp.ne")) {
      scale_ = operand_text(parts, 1, node);  // Whether a product adds to what its sums held.
      continue;
    }
    if (meaning == nullptr) {
      draft_.not_lifted.push_back({node.range, "`" + parts.name + "` is not in the table"});
      line("# " + parts.name, node.range);
      continue;
    }
    if (!orchestrates(meaning) || tensor_copy(one, node) || product(one, node)) {
      continue;
    }
    if (meaning->effect == Effect::kProduct || is_piece_copy(parts.name)) {
      lost_by_threads(*meaning, parts.name, node.range);
      continue;
    }
    // A state or a predicate that the instruction gives comes before the barrier's address.
    std::size_t first = 0;
    while (meaning->roles.starts_with("barrier") && first < parts.operands.size() &&
           !parts.operands[first].address) {
      ++first;
    }
    std::vector<std::string> args;
    for (std::size_t i = first; i < parts.operands.size(); ++i) {
      args.push_back(operand_text(parts, i, node));
    }
    primitive(meaning, parts.name, std::move(args), node.range);
  }
}

void Skeleton::primitive(const Meaning* meaning, const std::string& name,
                         std::vector<std::string> args, const Range& range) {
  std::string made = filled(meaning->operation, meaning->roles, args);
  if (made.empty()) {
    lost(range, name, std::string(meaning->meaning));
    return;
  }
  const std::int64_t times = multiplicity();
  const bool groups = made.find("\"cp.async\"") != std::string::npos;
  if (groups && times != static_cast<std::int64_t>(draft_.methods[current_].role.unit)) {
    lost(range, name, "by some threads of a worker only");
    return;
  }
  if (meaning->operation == "barrier.init(count)") {
    barrier_of(args[0], args[1], range);
    return;
  }
  if (meaning->operation == "barrier.arrive()" && times > 1) {
    made.insert(made.size() - 1, std::to_string(times));  // Each thread of the worker arrives.
  } else if (meaning->operation == "barrier.arrive_expect_tx(bytes)" && times > 1) {
    lost(range, name, "by " + std::to_string(times) + " threads of a worker");
    return;
  }
  line(made, range);
}

/// A barrier is made where the program is built.
void Skeleton::barrier_of(const std::string& barrier, const std::string& count,
                          const Range& range) {
  const std::string name = place_of(barrier).base;
  std::vector<std::string>& known = draft_.barriers;
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return;
  }
  known.push_back(name);
  std::int64_t size = 1;
  const SharedArray* array = shared_array(name);
  for (const std::int64_t dim : array == nullptr ? std::vector<std::int64_t>() : array->dims) {
    size *= dim;
  }
  const std::string at = mark(site_.line > 0 ? site_ : range);
  draft_.build.push_back(name + " = barrier(" + std::to_string(size) + ")" + at);
  draft_.build.push_back(name + ".init(" + count + ")" + at);
}

}  // namespace ws::lift
