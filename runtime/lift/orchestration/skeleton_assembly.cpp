// Inline assembly of a skeleton, and what the table says of it as a line of CuIR.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/index_text.h"
#include "runtime/lift/orchestration/skeleton.h"
#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

/// Calls within calls whose arguments are followed to where they come from.
constexpr int kMaxArguments = 16;

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

void Skeleton::assembly(const Node& node) {
  mapped_ = {};
  for (const std::string& one : instructions_of(node.text)) {
    const Meaning* meaning = meaning_of_ptx(one);
    const Instruction parts = take_apart(one);
    if (parts.name.starts_with("mapa") && parts.operands.size() == 3) {
      mapped_ = {parts.first_word(0), parts};
      continue;
    }
    if (parts.name.starts_with("setp.ne")) {
      scale_ = texts_.operand(parts, 1, node);  // Whether a product adds to what its sums held.
      continue;
    }
    if (meaning == nullptr) {
      draft_.refuse(node.range, "`" + parts.name + "` is not in the table");
      draft_.line("# " + parts.name, node.range);
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
      args.push_back(texts_.operand(parts, i, node));
    }
    if (!mapped_.name.empty() && mapped_.name == parts.first_word(first)) {
      remote_barrier(*meaning, parts.name, std::move(args), node);
      continue;
    }
    const bool gives = first > 0 && node.value > 0 && operand_number(parts.first_word(0)) == 0;
    primitive(meaning, parts.name, std::move(args), node.range,
              gives ? texts_.of(node.kids[0]) : "");
  }
}

/// An arrival, as often as threads of the worker make it; empty: its count has no form.
std::string Skeleton::arrival_text(const std::vector<std::string>& args) const {
  const std::string count = args.size() > 1 ? args[1] : "1";
  if (args.empty() || args[0].empty() || count.empty()) {
    return {};
  }
  const Poly all = index_poly(count, symbols_).times(Poly(multiplicity()));
  const std::string number = symbols_.text_of(all);
  return args[0] + ".arrive(" + (number == "1" ? "" : number) + ")";
}

/// The blocks that active threads of each worker mean, and how many threads mean each; nothing: an
/// expression that is the same in all of them has no value here, or workers differ.
std::optional<std::map<std::int64_t, std::int64_t>> Skeleton::blocks_by_thread(NodeId id) const {
  for (int depth = 0; depth < kMaxArguments && tree_.node(id).kind == NodeKind::kVariable;
       ++depth) {
    const NodeId argument = texts_.argument(tree_.node(id).index);
    if (argument == kNone) {
      break;
    }
    id = argument;
  }
  const std::optional<Lanes> values = values_.of(id);
  if (!values) {
    return std::nullopt;
  }
  const Role& role = draft_.role();
  std::map<std::size_t, std::map<std::int64_t, std::int64_t>> workers;
  for (std::size_t lane = 0; lane < values_.threads(); ++lane) {
    if (lane_of(role.lanes, lane) != 0 && lane_of(active_, lane) != 0) {
      ++workers[lane / role.unit][lane_of(*values, lane)];
    }
  }
  for (const auto& [worker, blocks] : workers) {
    if (blocks != workers.begin()->second) {
      return std::nullopt;
    }
  }
  return workers.empty() ? std::nullopt : std::optional(workers.begin()->second);
}

/// An operation on the barrier that `mapa` found in another block. Threads that each mean a block
/// of their own do it one after the other.
void Skeleton::remote_barrier(const Meaning& meaning, const std::string& name,
                              std::vector<std::string> args, const Node& node) {
  const std::string barrier = barrier_text(texts_.operand(mapped_.instruction, 1, node));
  const std::string block = texts_.operand(mapped_.instruction, 2, node);
  const bool known = barrier.starts_with("self.");
  if (known && !block.empty()) {
    args[0] = "at_block(" + barrier + ", " + block + ")";
    primitive(&meaning, name, std::move(args), node.range);
    return;
  }
  const NodeId operand = operand_node(node, mapped_.instruction.first_word(2));
  const auto blocks = operand == kNone ? std::nullopt : blocks_by_thread(operand);
  const std::string count = args.size() > 1 ? args[1] : "1";
  if (!known || count.empty() || !blocks || meaning.handling != Handling::kArrive) {
    draft_.lost(node.range, name, "on a barrier of another block of the cluster");
    return;
  }
  if (is_before_roles()) {
    draft_.lost(node.range, name, kBeforeRoles);
    return;
  }
  for (const auto& [rank, threads] : *blocks) {
    const std::string number = symbols_.text_of(index_poly(count, symbols_).times(Poly(threads)));
    draft_.line("at_block(" + barrier + ", " + std::to_string(rank) + ").arrive(" +
                    (number == "1" ? "" : number) + ")",
                node.range);
  }
}

void Skeleton::primitive(const Meaning* meaning, const std::string& name,
                         std::vector<std::string> args, const Range& range,
                         const std::string& result) {
  const bool arrives = meaning->handling == Handling::kArrive;
  if (!args.empty()) {
    args[0] = barrier_text(args[0]);
  }
  std::string made =
      arrives ? arrival_text(args) : filled(meaning->operation, meaning->roles, args);
  if (made.empty()) {
    draft_.lost(range, name, std::string(meaning->meaning));
    return;
  }
  const std::int64_t times = multiplicity();
  const bool groups = made.find("\"cp.async\"") != std::string::npos;
  if (groups && times != static_cast<std::int64_t>(draft_.role().unit)) {
    draft_.lost(range, name, "by some threads of a worker only");
    return;
  }
  if (meaning->handling == Handling::kInit) {
    barrier_of(args[0], args[1], range);
    return;
  }
  const bool expects = meaning->handling == Handling::kExpect;
  const bool named = made.starts_with("bar_");
  const bool some = meaning->handling == Handling::kWait || made.find("_group(") != made.npos;
  const bool waits = named || (some && std::ranges::count(active_, 0) > 0);
  if ((arrives || expects || waits) && is_before_roles()) {
    draft_.lost(range, name, kBeforeRoles);
    return;
  }
  if (expects && times > 1) {
    draft_.lost(range, name, "by " + std::to_string(times) + " threads of a worker");
    return;
  }
  if (!result.empty()) {
    draft_.set_integer(result);
  }
  draft_.line((result.empty() || !arrives ? "" : result + " = ") + made, range);
}

/// An mbarrier by one index, as arrays of them have one dimension in CuIR; empty: it has no such
/// form. What is no array stays as it is.
std::string Skeleton::barrier_text(const std::string& given) {
  MemoryPlace place = place_of(given);
  const SharedArray* const array = buffers_.find(place.base);
  if (array == nullptr || place.indices.size() < 2) {
    return given;
  }
  const bool flat = array->dims.size() == 1;
  if (!flat && place.indices.size() != array->dims.size()) {
    return {};
  }
  Poly all;
  for (std::size_t i = 0; i < place.indices.size(); ++i) {
    all = all.times(Poly(flat ? 1 : array->dims[i])).plus(index_poly(place.indices[i], symbols_));
  }
  place.indices = {symbols_.text_of(all)};
  return place_text(place);
}

/// A barrier is made where the program is built.
void Skeleton::barrier_of(const std::string& barrier, const std::string& count,
                          const Range& range) {
  const std::string name = place_of(barrier).base;
  const auto [known, fresh] = barriers_.emplace(name, count);
  if (!fresh) {
    if (known->second != count) {
      draft_.refuse(range, "barriers of one array that wait for different counts");
    }
    return;
  }
  std::int64_t size = 1;
  const SharedArray* array = buffers_.find(name);
  for (const std::int64_t dim : array == nullptr ? std::vector<std::int64_t>() : array->dims) {
    size *= dim;
  }
  draft_.build(name + " = barrier(" + std::to_string(size) + ")", range);
  draft_.build(name + ".init(" + count + ")", range);
}

}  // namespace ws::lift
