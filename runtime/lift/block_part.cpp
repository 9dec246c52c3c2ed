// A part of a kernel, run by one warpgroup: what stands around it is declared first (part.h).
#include <algorithm>

#include "runtime/lift/block.h"
#include "runtime/lift/meanings.h"
#include "runtime/lift/part.h"
#include "runtime/lift/places.h"

namespace ws::lift {

Status Block::begin_part() {
  add_shared();
  calls_.emplace_back();
  return bind_arguments();
}

Result<ObjectId> Block::declare_part(const PartVariable& variable) {
  const TypeId type = tree_.variable(variable.id).type;
  if (variable.kind == PartVariable::Kind::kInteger) {
    if (variable.initial != kNone) {
      if (Result<Value> value = evaluate(variable.initial)) {
        return declare_local(variable.id, *std::move(value));
      }
    }
    const bool number = type != kNone && tree_.type(type).kind == TypeKind::kInt;
    if (!variable.known || !number) {
      return fail(ErrorCode::kUnsupported, "`" + variable.name + "` has no value by its name");
    }
    const TermId term = terms_.integer(Poly::of(symbols_.intern(variable.name)), dtype_of(type));
    return declare_local(variable.id, {type, {{term, kNone, {}}}});
  }
  const std::size_t size = layout(type).size();
  const ObjectId id = declare_local(variable.id, {type, std::vector<Leaf>(size)});
  const bool readable = variable.known && variable.kind != PartVariable::Kind::kOperands;
  for (std::size_t i = 0; readable && i < size; ++i) {
    Term term;
    term.kind = TermKind::kCarried;
    term.type = DType::kF32;
    term.object = id;
    term.slot = static_cast<int>(i);
    TermId made = terms_.add(std::move(term));
    if (variable.kind == PartVariable::Kind::kRows) {
      // Four threads have a row: what one knows, the others know.
      std::vector<Ref> sources(lanes_);
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        sources[lane] = {made, static_cast<std::int32_t>(lane - lane % 4)};
      }
      made = terms_.move(DType::kF32, std::move(sources));
    }
    object(id).leaves[i].term = made;
  }
  return id;
}

Status Block::run_part(const std::vector<NodeId>& statements) {
  for (const NodeId id : statements) {
    WS_CHECK(statement(id));
  }
  return flush();
}

/// Inline assembly of one instruction that computes a value of others.
Status Block::assembly(const Node& node) {
  const std::vector<std::string> all = instructions_of(node.text);
  const Meaning* meaning = all.size() == 1 ? meaning_of_ptx(all[0]) : nullptr;
  if (meaning == nullptr || meaning->effect != Effect::kValue || node.value != 1) {
    return fail(ErrorCode::kUnsupported, kInlineAssembly);
  }
  const Instruction parts = take_apart(all[0]);
  std::vector<TermId> args;
  for (std::size_t i = 1; i < parts.operands.size(); ++i) {
    const int number = operand_number(parts.operands[i].words.front());
    if (number < 1 || static_cast<std::size_t>(number) >= node.kids.size()) {
      return fail(ErrorCode::kUnsupported, kInlineAssembly);
    }
    WS_TRY(const TermId arg, term_of(node.kids[static_cast<std::size_t>(number)]));
    args.push_back(arg);
  }
  WS_TRY(const Place target, place(node.kids[0]));
  const DType type = dtype_of(target.type);
  TermId made = kNone;
  const bool pair = parts.name.find(".f16x2.f32") != std::string::npos;
  if (pair && args.size() == 2) {
    // The first one goes into the upper half.
    made = terms_.operation(kPackedPair, type, {args[1], args[0]});
  } else if (args.size() == 1 && is_float(type) && meaning->operation != "to" &&
             meaning->operation != "reciprocal" && meaning->operation != "address") {
    made = terms_.operation(std::string(meaning->operation), type, std::move(args));
  } else {
    return fail(ErrorCode::kUnsupported, kInlineAssembly);
  }
  return store(target, single(target.type, made), node.range);
}

}  // namespace ws::lift
