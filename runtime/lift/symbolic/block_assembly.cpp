// Inline assembly of a symbolic run: one instruction that computes a value, or that warps execute
// together.
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {

Status Block::assembly(const Node& node) {
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
Status Block::value_assembly(const Instruction& parts, const Meaning* meaning, const Node& node) {
  if (meaning == nullptr || meaning->effect != Effect::kValue || node.value != 1) {
    return fail(ErrorCode::kUnsupported, kInlineAssembly);
  }
  std::vector<TermId> args;
  for (std::size_t i = 1; i < parts.operands.size(); ++i) {
    const int number = operand_number(parts.operands[i].words.front());
    if (number < 1 || static_cast<std::size_t>(number) >= node.kids.size()) {
      return fail(ErrorCode::kUnsupported, kInlineAssembly);
    }
    WS_TRY(const TermId arg, term_of(node.kids[static_cast<std::size_t>(number)]));
    args.push_back(arg);
  }
  WS_TRY(const ValuePlace target, place(node.kids[0]));
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
  return memory_.store(target, single(target.type, made), node.range);
}

}  // namespace ws::lift
