// cp.async, ldmatrix and mma.sync of a part's threads. PTX ISA, sections of these names.
#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

constexpr std::size_t kResults = 4;  // Sums of a thread.

tl::unexpected<Error> odd(const Instruction& parts, const std::string& why) {
  return fail(ErrorCode::kUnsupported, "`" + parts.name + "` " + why);
}

}  // namespace

/// A word of an operand: a number, or what a %n names.
Result<Leaf> Block::operand(const Instruction& parts, std::size_t at, std::size_t word,
                            const Node& node) {
  if (at >= parts.operands.size() || word >= parts.operands[at].words.size()) {
    return odd(parts, "with too few operands");
  }
  const std::string& text = parts.operands[at].words[word];
  const int number = operand_number(text);
  if (number >= 0 && static_cast<std::size_t>(number) < node.kids.size()) {
    return scalar(node.kids[static_cast<std::size_t>(number)]);
  }
  constexpr std::size_t kMostDigits = 4;
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || text.empty() || text.size() > kMostDigits) {
    return odd(parts, "with an operand that is not known");
  }
  return Leaf{terms_.integer(Poly(std::stoll(text))), kNone, {}};
}

/// The offset in shared memory, of a part in an array of tiles, in elements.
Result<Poly> Block::array_offset(const Leaf& pointer) {
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
Status Block::copy_piece(const Instruction& parts, const Node& node) {
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
    return odd(parts, "of a form, or under a condition, that is not known");
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
      return odd(parts, "reads a number of bytes that is not known");
    }
  }
  if (from.where != kNone && from.where != event.inside) {
    return odd(parts, "reads other elements where a condition does not hold");
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
    return odd(parts, "between elements of different types");
  }
  if (!mode_.is_part()) {
    return copies_.issue(event);
  }
  copied_.push_back(std::move(event));
  return {};
}

/// An element of a matrix in shared memory. @param offset  In elements.
Result<TermId> Block::matrix_element(const Leaf& address, const Poly& offset) {
  if (!mode_.is_part()) {
    WS_TRY(const Leaf leaf, memory_.load_shared(address.object, offset));
    return leaf.term;
  }
  Term term;
  term.kind = TermKind::kLoad;
  term.type = objects_.at(address.object).element;
  term.object = address.object;
  term.poly = offset;
  term.range = steps_.where();
  return terms_.add(std::move(term));
}

/// Each register gets two elements of an 8 x 8 matrix, from addresses that other threads give.
Status Block::load_matrices(const Instruction& parts, const Node& node) {
  const bool transposed = parts.name.find(".trans") != std::string::npos;
  const bool known = parts.name.find(".m8n8.") != std::string::npos && parts.name.ends_with(".b16");
  WS_TRY(const Leaf address, operand(parts, 1, 0, node));
  WS_TRY(const Poly first, array_offset(address));
  const std::size_t count = parts.operands[0].words.size();
  const DType type = objects_.at(address.object).element;
  if (!known || !guards_.is_everyone() || size_of(type) != 2 || count > 4 ||
      node.value != static_cast<std::int64_t>(count) || lanes_ % 32 != 0) {
    return odd(parts, "of a form, or by threads, that are not known");
  }
  for (std::size_t matrix = 0; matrix < count; ++matrix) {
    std::vector<TermId> halves;
    for (const std::int64_t half : {0, 1}) {
      std::vector<std::size_t> from(lanes_);
      Lanes behind(lanes_);
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const MatrixSource source = ldmatrix_source(lane, matrix, half, transposed);
        from[lane] = source.lane;
        behind[lane] = source.element;
      }
      WS_TRY(const TermId element,
             matrix_element(address, first.gathered(from).plus(Poly(behind))));
      halves.push_back(element);
    }
    const int number = operand_number(parts.operands[0].words[matrix]);
    if (number < 0 || static_cast<std::size_t>(number) >= count) {
      return odd(parts, "with results that are not known");
    }
    WS_TRY(const ValuePlace target, place(node.kids[static_cast<std::size_t>(number)]));
    const OwnOp pairs = !mode_.is_part() ? OwnOp::kBits : OwnOp::kPackedPair;
    const TermId pair = terms_.operation(pairs, DType::kU32, std::move(halves));
    WS_CHECK(memory_.store(target, single(target.type, pair), node.range));
  }
  return {};
}

/// Both elements of each register of an operand, rounded to `type`.
Result<std::vector<TermId>> Block::halves_of(const Instruction& parts, std::size_t at,
                                             const Node& node, DType type) {
  std::vector<TermId> all;
  for (std::size_t word = 0; at < parts.operands.size() && word < parts.operands[at].words.size();
       ++word) {
    WS_TRY(const Leaf leaf, operand(parts, at, word, node));
    const bool packed = leaf.term != kNone && terms_.at(leaf.term).op == OwnOp::kPackedPair;
    const Result<std::vector<TermId>> halves =
        packed || leaf.term == kNone ? Result<std::vector<TermId>>(std::vector<TermId>())
                                     : bit_parts(terms_, leaf.term, 2, type);
    if (!halves || (!packed && halves->empty())) {
      return odd(parts, "of registers that are not known");
    }
    for (const TermId half : packed ? std::vector<TermId>(terms_.at(leaf.term).args) : *halves) {
      if (terms_.at(half).type != type && terms_.at(half).kind == TermKind::kLoad) {
        return odd(parts, "of elements of another type");
      }
      all.push_back(terms_.rounded(half, type));
    }
  }
  return all;
}

/// The four numbers of a thread that a product is added to.
Result<std::vector<TermId>> Block::added_sums(const Instruction& parts, const Node& node,
                                              bool halves) {
  if (halves) {
    return halves_of(parts, 3, node, DType::kF16);
  }
  std::vector<TermId> sums;
  for (std::size_t i = 0; i < kResults; ++i) {
    WS_TRY(const Leaf added, operand(parts, 3, i, node));
    if (added.term == kNone) {
      return odd(parts, "adds to something that is no number");
    }
    // Cleared registers that hold floats.
    const bool zero = !is_float(terms_.at(added.term).type) && !mode_.is_part();
    const bool cleared = terms_.at(added.term).kind == TermKind::kInteger &&
                         terms_.at(added.term).poly.number() == 0;
    if (zero && !cleared) {
      return odd(parts, "adds to something that is no float");
    }
    sums.push_back(zero ? terms_.number(0, DType::kF32) : added.term);
  }
  return sums;
}

/// Gives the results to their registers, two to one if they are halves.
Status Block::keep_sums(const Instruction& parts, const Node& node, const std::vector<TermId>& sums,
                        bool halves) {
  const std::size_t each = halves ? 2 : 1;
  const std::size_t count = sums.size() / each;
  for (std::size_t i = 0; i < count; ++i) {
    const int number =
        parts.operands[0].words.size() == count ? operand_number(parts.operands[0].words[i]) : -1;
    if (number < 0 || static_cast<std::size_t>(number) >= count) {
      return odd(parts, "with results that are not known");
    }
    WS_TRY(const ValuePlace target, place(node.kids[static_cast<std::size_t>(number)]));
    const TermId made =
        halves ? terms_.operation(OwnOp::kBits, DType::kU32, {sums[2 * i], sums[2 * i + 1]})
               : sums[i];
    WS_CHECK(memory_.store(target, single(target.type, made), node.range));
  }
  return {};
}

/// mma.sync {d}, {a}, {b}, {c}
Status Block::multiply(const Instruction& parts, const Node& node) {
  const DType type = parts.name.find(".bf16.") != std::string::npos ? DType::kBf16 : DType::kF16;
  const bool halves = is_half_product(parts.name);
  WS_TRY(std::vector<TermId> args, halves_of(parts, 1, node, type));
  WS_TRY(const std::vector<TermId> right, halves_of(parts, 2, node, type));
  const std::size_t registers = halves ? kResults / 2 : kResults;
  if (!guards_.is_everyone() || args.size() != kLeftElements || right.size() != kRightElements ||
      node.value != static_cast<std::int64_t>(registers) || lanes_ % 32 != 0) {
    return odd(parts, "of a form, or by threads, that are not known");
  }
  args.insert(args.end(), right.begin(), right.end());
  WS_TRY(const std::vector<TermId> added, added_sums(parts, node, halves));
  if (added.size() != kResults) {
    return odd(parts, "with too few operands");
  }
  std::vector<TermId> sums;
  for (std::size_t i = 0; i < kResults; ++i) {
    Term term;
    term.kind = TermKind::kOperation;
    term.type = halves ? DType::kF16 : DType::kF32;
    term.op = OwnOp::kMatrixProduct;
    term.args = args;
    term.args.push_back(added[i]);
    term.slot = static_cast<int>(i);
    sums.push_back(terms_.add(std::move(term)));
  }
  return keep_sums(parts, node, sums, halves);
}

}  // namespace ws::lift
