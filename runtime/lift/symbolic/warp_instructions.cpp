#include "runtime/lift/symbolic/warp_instructions.h"

#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {

tl::unexpected<Error> odd_instruction(const Instruction& parts, const std::string& why) {
  return fail(ErrorCode::kUnsupported, "`" + parts.name + "` " + why);
}

Status WarpInstructions::run(const Node& node) {
  const std::vector<std::string> all = instructions_of(node.text);
  if (all.size() != 1) {
    return fail(ErrorCode::kUnsupported, kInlineAssembly);
  }
  const Instruction parts = take_apart(all[0]);
  if (!mode_.has_addresses()) {
    return value_assembly(parts, meaning_of_ptx(all[0]), node);
  }
  if (is_piece_copy(parts.name)) {
    return copy_piece(parts, node);
  }
  if (parts.name.starts_with("ldmatrix")) {
    return load_matrices(parts, node);
  }
  if (parts.name.starts_with("stmatrix")) {
    return store_matrices(parts, node);
  }
  if (is_warp_product(parts.name) || (!mode_.is_part() && is_half_product(parts.name))) {
    return multiply(parts, node);
  }
  if (!mode_.is_part() && parts.name == "cp.async.commit_group") {
    return copies_.commit();
  }
  if (!mode_.is_part() && parts.name == "cp.async.wait_all") {
    WS_CHECK(copies_.commit());
    return copies_.wait(0);
  }
  if (!mode_.is_part() && parts.name == "cp.async.wait_group") {
    WS_TRY(const Leaf newest, operand(parts, 0, 0, node));
    const bool known = newest.term != kNone && terms_.at(newest.term).kind == TermKind::kInteger;
    return copies_.wait(known ? terms_.at(newest.term).poly.number().value_or(-1) : -1);
  }
  return value_assembly(parts, meaning_of_ptx(all[0]), node);
}

/// An instruction that computes a value of others. @param meaning  nullptr: it is not in the table.
Status WarpInstructions::value_assembly(const Instruction& parts, const Meaning* meaning,
                                        const Node& node) {
  if (meaning == nullptr || meaning->effect != Effect::kValue || node.value != 1) {
    return fail(ErrorCode::kUnsupported, kInlineAssembly);
  }
  std::vector<TermId> args;
  for (std::size_t i = 1; i < parts.operands.size(); ++i) {
    const NodeId input = operand_node(node, parts.first_word(i));
    if (input == kNone || input == node.kids[0]) {
      return fail(ErrorCode::kUnsupported, kInlineAssembly);
    }
    WS_TRY(const TermId arg, runner_.term_of(input));
    args.push_back(arg);
  }
  WS_TRY(const ValuePlace target, runner_.place(node.kids[0]));
  const DType type = scalars_.dtype_of(target.type);
  TermId made = kNone;
  const std::optional<TermOp> op = find_term_op(meaning->operation);
  const bool pair = parts.name.find(".f16x2.f32") != std::string::npos;
  if (pair && args.size() == 2) {
    // The first one goes into the upper half.
    made = terms_.operation(OwnOp::kPackedPair, type, {args[1], args[0]});
  } else if (op && args.size() == 1 && is_float(type) && *op != ir::Op::kCast) {
    made = terms_.operation(*op, type, std::move(args));
  } else {
    return fail(ErrorCode::kUnsupported, kInlineAssembly);
  }
  return memory_.store(target, Value{target.type, {{made, kNone, {}}}}, node.range);
}

/// A word of an operand: a number, or what a %n names.
Result<Leaf> WarpInstructions::operand(const Instruction& parts, std::size_t at, std::size_t word,
                                       const Node& node) {
  if (at >= parts.operands.size() || word >= parts.operands[at].words.size()) {
    return odd_instruction(parts, "with too few operands");
  }
  const std::string& text = parts.operands[at].words[word];
  if (const NodeId named = operand_node(node, text); named != kNone) {
    return runner_.scalar(named);
  }
  constexpr std::size_t kMostDigits = 4;
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || text.empty() || text.size() > kMostDigits) {
    return odd_instruction(parts, "with an operand that is not known");
  }
  return Leaf{terms_.integer(Poly(std::stoll(text))), kNone, {}};
}

/// The offset in shared memory, of a part in an array of tiles, in elements.
Result<Poly> WarpInstructions::array_offset(const Leaf& pointer) {
  if (pointer.object == kNone || pointer.where != kNone ||
      objects_.at(pointer.object).kind != ObjectKind::kShared ||
      (mode_.is_part() && objects_.at(pointer.object).dims.size() < 2)) {
    return fail(ErrorCode::kUnsupported, "an address that is not in a tile in shared memory");
  }
  const Object& array = objects_.at(pointer.object);
  return Memory::element_offset(array, pointer.offset,
                                static_cast<std::int64_t>(size_of(array.element)));
}

/// cp.async [to], [from], bytes {, bytes that are read}: the rest becomes zeros.
Status WarpInstructions::copy_piece(const Instruction& parts, const Node& node) {
  WS_TRY(const Leaf to, operand(parts, 0, 0, node));
  WS_TRY(const Leaf from, operand(parts, 1, 0, node));
  WS_TRY(const Leaf size, operand(parts, 2, 0, node));
  const auto number = [&](TermId term) {
    const bool known = term != kNone && terms_.at(term).kind == TermKind::kInteger;
    return known ? terms_.at(term).poly.number() : std::nullopt;
  };
  const std::optional<std::int64_t> bytes = number(size.term);
  const bool a_piece = bytes == 4 || bytes == 8 || bytes == 16;
  if (from.object == kNone || objects_.at(from.object).kind != ObjectKind::kTensor || !a_piece ||
      !guards_.conditions().empty() || (mode_.is_part() && !guards_.exits().empty()) ||
      parts.operands.size() > 4) {
    return odd_instruction(parts, "of a form, or under a condition, that is not known");
  }
  CopyEvent event;
  if (parts.operands.size() > 3) {
    WS_TRY(const Leaf given, operand(parts, 3, 0, node));
    const Term* const choice = given.term == kNone ? nullptr : &terms_.at(given.term);
    const bool zeros = choice != nullptr && choice->kind == TermKind::kOperation &&
                       choice->op == ir::Op::kWhere && number(choice->args[1]) == bytes &&
                       number(choice->args[2]) == 0;
    if (zeros) {
      event.inside = choice->args[0];
    } else if (number(given.term) != bytes) {
      return odd_instruction(parts, "reads a number of bytes that is not known");
    }
  }
  if (from.where != kNone && from.where != event.inside) {
    return odd_instruction(parts, "reads other elements where a condition does not hold");
  }
  const Object& tensor = objects_.at(from.object);
  const auto width = static_cast<std::int64_t>(size_of(tensor.element));
  event.target = to.object;
  event.source = from.object;
  event.elements = *bytes / width;
  event.active = guards_.active();
  copies_.give_type(to.object, tensor.element);
  WS_TRY(event.to, array_offset(to));
  WS_TRY(event.from, Memory::element_offset(tensor, from.offset, width));
  if (objects_.at(to.object).element != tensor.element || *bytes % width != 0) {
    return odd_instruction(parts, "between elements of different types");
  }
  if (!mode_.is_part()) {
    return copies_.issue(event);
  }
  copied_.push_back(std::move(event));
  return {};
}

}  // namespace ws::lift
