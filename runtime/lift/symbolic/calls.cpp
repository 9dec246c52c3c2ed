#include "runtime/lift/symbolic/calls.h"

#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/symbolic/meanings.h"
#include "runtime/lift/symbolic/warp_instructions.h"

namespace ws::lift {
namespace {

constexpr std::size_t kMaxInlined = 32;

/// The thread that another one reads by a shuffle. Threads that would read beyond their group of
/// `width` read themselves, as the hardware has it.
std::size_t source_lane(Handling how, std::size_t lane, std::int64_t distance, std::int64_t width) {
  const auto own = static_cast<std::int64_t>(lane);
  const std::int64_t first = own - own % width;
  const std::int64_t at = how == Handling::kShuffleXor    ? own ^ distance
                          : how == Handling::kShuffleDown ? own + distance
                          : how == Handling::kShuffleUp   ? own - distance
                                                          : first + distance % width;
  return static_cast<std::size_t>(at < first || at >= first + width ? own : at);
}

}  // namespace

Result<Value> Calls::run(const Node& node) {
  if (node.index != kNone) {
    return inlined(node);
  }
  if (mode_.by_warps && node.text.starts_with(kWmma)) {
    return fragments_.call(node);
  }
  const Meaning* meaning = meaning_of_function(node.text);
  if (meaning == nullptr) {
    return packed(node);
  }
  switch (meaning->handling) {
    case Handling::kBlockBarrier:
      WS_CHECK(barrier(node));
      memory_.shared().meet_warp();
      return Value{node.type, {}};
    case Handling::kWarpBarrier:
      memory_.shared().meet_warp();
      return Value{node.type, {}};
    case Handling::kFence:
      return Value{node.type, {}};  // Orders; what is not ordered by a barrier is refused anyway.
    case Handling::kShuffle:
    case Handling::kShuffleXor:
    case Handling::kShuffleUp:
    case Handling::kShuffleDown:
      return shuffle(node);
    case Handling::kAtomic:
      return store_call(node, std::string(meaning->operation));
    case Handling::kStore:
      return node.kids.size() == 2 ? store_call(node, "") : not_called(node, *meaning);
    case Handling::kLoad:
      return node.kids.size() == 1 ? load_call(node) : not_called(node, *meaning);
    case Handling::kAddress:
      // Nothing but inline assembly takes such an address.
      return node.kids.size() != 1 ? not_called(node, *meaning)
             : mode_.has_addresses()
                 ? runner_.evaluate(node.kids[0])
                 : fail(ErrorCode::kUnsupported, WarpInstructions::kInlineAssembly);
    default:
      return meaning->effect == Effect::kValue ? value_call(node, *meaning)
                                               : not_called(node, *meaning);
  }
}

Status Calls::barrier(const Node& node) {
  if (!guards_.is_everyone()) {
    return fail(ErrorCode::kUnsupported, "a barrier that not all threads of the block reach");
  }
  WS_CHECK(memory_.flush());
  WS_CHECK(carried_.update());
  memory_.shared().meet_block();
  // A pipeline's program has no shared memory.
  return mode_.pipeline.period > 0 ? Status() : reports_.sync(node.range);
}

/// A function of the table that is not understood in this form.
Result<Value> Calls::not_called(const Node& node, const Meaning& meaning) {
  return fail(ErrorCode::kUnsupported, "`" + node.text + "`: " + std::string(meaning.meaning));
}

Result<Value> Calls::load_call(const Node& node) {
  WS_TRY(const Leaf pointer, runner_.scalar(node.kids[0]));
  if (pointer.object == kNone || pointer.where != kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer to something unknown is followed");
  }
  return memory_.load({pointer.object, pointer.offset, node.type});
}

/// A function that computes a value of its arguments and does nothing else: of two halves each by
/// itself.
Result<Value> Calls::value_call(const Node& node, const Meaning& meaning) {
  std::vector<Value> given;
  for (const NodeId kid : node.kids) {
    WS_TRY(Value value, runner_.evaluate(kid));
    given.push_back(std::move(value));
  }
  const std::vector<Scalar> results = scalars_.of(node.type);
  Value made{node.type, {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<TermId> args;
    for (const Value& value : given) {
      const bool alike = value.leaves.size() == results.size() || value.leaves.size() == 1;
      const Leaf leaf = alike ? value.leaves[value.leaves.size() == 1 ? 0 : i] : Leaf();
      if (leaf.term == kNone) {
        return fail(ErrorCode::kUnsupported,
                    alike ? "a pointer is used as a number"
                          : "a number is expected where the kernel has a struct");
      }
      args.push_back(leaf.term);
    }
    WS_TRY(const TermId term,
           value_of(node, meaning, std::move(args), scalars_.dtype_of(results[i].type)));
    made.leaves.push_back({term, kNone, {}});
  }
  return made;
}

/// @param type  Of the result.
Result<TermId> Calls::value_of(const Node& node, const Meaning& meaning, std::vector<TermId> args,
                               DType type) {
  if (meaning.handling == Handling::kConvert && args.size() == 1) {
    return numbers_.converted(args[0], type);
  }
  if (meaning.handling == Handling::kFma && args.size() == 3) {
    // The product of two halves is exact as a float.
    const bool half = is_float(type) && size_of(type) == 2;
    const DType wide = half ? DType::kF32 : type;
    for (TermId& arg : args) {
      arg = half ? numbers_.converted(arg, wide) : arg;
    }
    WS_TRY(const TermId product, numbers_.result(ir::Operator::kMultiply, args[0], args[1], wide));
    WS_TRY(const TermId sum, numbers_.result(ir::Operator::kAdd, product, args[2], wide));
    return numbers_.converted(sum, type);
  }
  if (meaning.handling == Handling::kReciprocal && args.size() == 1) {
    return terms_.operation(ir::Operator::kDivide, type, {terms_.number(1, type), args[0]});
  }
  const std::optional<TermOp> op = find_term_op(meaning.operation);
  if (!op) {
    return fail(not_called(node, meaning).error());
  }
  if (args.size() == 2) {
    return numbers_.result(*op, numbers_.converted(args[0], type),
                           numbers_.converted(args[1], type), type);
  }
  return terms_.operation(*op, type, std::move(args));
}

Result<Value> Calls::inlined(const Node& node) {
  const Function& callee = tree_.function(node.index);
  if (callee.body == kNone || callee.params.size() != node.kids.size() ||
      control_.depth() >= kMaxInlined) {
    return fail(ErrorCode::kUnsupported, "`" + callee.name + "` cannot be entered");
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    if (tree_.variable(callee.params[i]).reference &&
        tree_.node(node.kids[i]).kind != NodeKind::kInt &&
        tree_.node(node.kids[i]).kind != NodeKind::kFloat) {
      Result<ValuePlace> at = runner_.place(node.kids[i]);
      if (at) {
        values.push_back({at->type, {{kNone, at->object, std::move(at->offset)}}});
        continue;
      }
      if (changes_argument(node, i)) {
        return fail(at.error());
      }
    }
    WS_TRY(Value value, runner_.evaluate(node.kids[i]));
    values.push_back(std::move(value));
  }
  control_.enter(guards_.state());
  for (std::size_t i = 0; i < values.size(); ++i) {
    objects_.declare(callee.params[i], std::move(values[i]));
  }
  const Range caller = steps_.where();
  WS_CHECK(runner_.statement(callee.body));
  steps_.enter(caller);
  control_.go(Flow::kNext);
  Value result = control_.leave();
  result.type = node.type;
  return result;
}

Result<Value> Calls::shuffle(const Node& node) {
  const Meaning* meaning = meaning_of_function(node.text);
  if (node.kids.size() < 3) {
    return fail(ErrorCode::kUnsupported, "`" + node.text + "` with too few arguments");
  }
  WS_TRY(const TermId value, runner_.term_of(node.kids[1]));
  WS_TRY(const TermId distance, runner_.term_of(node.kids[2]));
  std::int64_t width = kWarpSize;
  if (node.kids.size() > 3) {
    WS_TRY(const TermId given, runner_.term_of(node.kids[3]));
    width = terms_.at(given).kind == TermKind::kInteger ? terms_.at(given).poly.number().value_or(0)
                                                        : 0;
  }
  const Term& by = terms_.at(distance);
  if (by.kind != TermKind::kInteger || !by.poly.is_constant() || width <= 0 || width > kWarpSize ||
      (width & (width - 1)) != 0) {
    return fail(ErrorCode::kUnsupported, "`" + node.text + "` by a distance that is not known");
  }
  const Lanes distances = by.poly.constant();
  std::vector<Ref> sources(terms_.lanes());
  for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
    const std::size_t from = source_lane(meaning->handling, lane, lane_of(distances, lane), width);
    if (from >= terms_.lanes() || (guards_.is_active(lane) && !guards_.is_active(from))) {
      return fail(ErrorCode::kUnsupported, "`" + node.text + "` reads a thread that is not there");
    }
    sources[lane] = {value, static_cast<std::int32_t>(from)};
  }
  memory_.shared().meet_warp();
  return one_number(node.type, moved(value, sources));
}

/// A value that each thread has from another one, of several small numbers in one each.
TermId Calls::moved(TermId value, std::vector<Ref> sources) {
  const Term& term = terms_.at(value);
  if (term.op != OwnOp::kBits && term.op != OwnOp::kPackedPair) {
    return terms_.move(term.type, std::move(sources));
  }
  std::vector<TermId> parts;
  for (const TermId part : std::vector<TermId>(term.args)) {
    for (Ref& source : sources) {
      source.term = part;
    }
    parts.push_back(terms_.move(terms_.at(part).type, sources));
  }
  return terms_.operation(term.op, term.type, std::move(parts));
}

/// A function of an address in global memory and a value. @param atomic  Empty: a plain store.
Result<Value> Calls::store_call(const Node& node, const std::string& atomic) {
  WS_TRY(const Leaf pointer, runner_.scalar(node.kids[0]));
  WS_TRY(const TermId value, runner_.term_of(node.kids[1]));
  if (pointer.object == kNone || pointer.where != kNone ||
      objects_.at(pointer.object).kind != ObjectKind::kTensor) {
    return fail(ErrorCode::kUnsupported, "`" + node.text + "` on memory that is not global");
  }
  const Object& target = objects_.at(pointer.object);
  WS_TRY(const Poly offset,
         Memory::element_offset(target, pointer.offset,
                                static_cast<std::int64_t>(size_of(target.element))));
  memory_.store_later(pointer.object, offset, numbers_.converted(value, target.element), node.range,
                      atomic);
  return Value{node.type, {{}}};  // Reading what was there before ends the run.
}

/// make_float4 and its like: classes of several numbers.
Result<Value> Calls::packed(const Node& node) {
  const bool made = node.text.starts_with("make_") || node.text == "__floats2half2_rn" ||
                    node.text == "__halves2half2" || node.text == "__floats2bfloat162_rn";
  if (!made || scalars_.of(node.type).size() != node.kids.size()) {
    return fail(ErrorCode::kUnsupported, "`" + node.text + "` is not known");
  }
  Value value{node.type, {}};
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    WS_TRY(Leaf leaf, runner_.scalar(node.kids[i]));
    if (leaf.term != kNone) {
      leaf.term = numbers_.converted(leaf.term, scalars_.dtype_of(scalars_.of(node.type)[i].type));
    }
    value.leaves.push_back(std::move(leaf));
  }
  return value;
}

}  // namespace ws::lift
