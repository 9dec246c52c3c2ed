// ldmatrix, stmatrix and mma.sync of a symbolic run.
#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/symbolic/warp_instructions.h"

namespace ws::lift {
namespace {

constexpr std::size_t kResults = 4;  // Sums of a thread.

constexpr const char* kUnknownResults = "with results that are not known";

}  // namespace

/// An element of a matrix in shared memory. @param offset  In elements.
Result<TermId> WarpInstructions::matrix_element(const Leaf& address, const Poly& offset) {
  if (!mode_.is_part()) {
    WS_TRY(const Leaf leaf, memory_.load_shared(address.object, offset));
    return leaf.term;
  }
  return memory_.load_tile(address.object, offset);
}

/// The variable that gets a result. @param number  Of the words of the first operand.
Result<ValuePlace> WarpInstructions::result_place(const Instruction& parts, std::size_t number,
                                                  const Node& node) {
  const std::string& word = parts.at(0).words[number];
  const NodeId named = operand_node(node, word);
  if (named == kNone || operand_number(word) >= node.value) {
    return odd_instruction(parts, kUnknownResults);
  }
  return runner_.place(named);
}

/// Each register gets two elements of an 8 x 8 matrix, from addresses that other threads give.
Status WarpInstructions::load_matrices(const Instruction& parts, const Node& node) {
  const bool transposed = parts.name.find(".trans") != std::string::npos;
  const bool known = parts.name.find(".m8n8.") != std::string::npos && parts.name.ends_with(".b16");
  WS_TRY(const Leaf address, operand(parts, 1, 0, node));
  WS_TRY(const Poly first, array_offset(address));
  const std::size_t count = parts.at(0).words.size();
  const DType type = objects_.at(address.object).element;
  if (!known || !guards_.is_everyone() || size_of(type) != 2 || count > 4 ||
      node.value != static_cast<std::int64_t>(count) || terms_.lanes() % 32 != 0) {
    return odd_instruction(parts, "of a form, or by threads, that are not known");
  }
  for (std::size_t matrix = 0; matrix < count; ++matrix) {
    std::vector<TermId> halves;
    for (const std::int64_t half : {0, 1}) {
      std::vector<std::size_t> from(terms_.lanes());
      Lanes behind(terms_.lanes());
      for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
        const MatrixSource source = ldmatrix_source(lane, matrix, half, transposed);
        from[lane] = source.lane;
        behind[lane] = source.element;
      }
      WS_TRY(const TermId element,
             matrix_element(address, first.gathered(from).plus(Poly(behind))));
      halves.push_back(element);
    }
    WS_TRY(const ValuePlace target, result_place(parts, matrix, node));
    const OwnOp pairs = !mode_.is_part() ? OwnOp::kBits : OwnOp::kPackedPair;
    const TermId pair = terms_.operation(pairs, DType::kU32, std::move(halves));
    WS_CHECK(memory_.store(target, Value{target.type, {{pair, kNone, {}}}}, node.range));
  }
  return {};
}

/// stmatrix [address], {registers}, in a part of a kernel: a thread's elements go where ldmatrix
/// would get them from.
Status WarpInstructions::store_matrices(const Instruction& parts, const Node& node) {
  const bool transposed = parts.name.find(".trans") != std::string::npos;
  WS_TRY(const Leaf address, operand(parts, 0, 0, node));
  WS_TRY(const Poly first, array_offset(address));
  const DType type = objects_.at(address.object).element;
  const std::size_t count = parts.operands.size() == 2 ? parts.operands[1].words.size() : 0;
  const bool known =
      parts.name.find(".m8n8.x" + std::to_string(count) + ".") != std::string::npos &&
      parts.name.ends_with(".b16");
  if (!known || !mode_.is_part() || !guards_.is_everyone() || size_of(type) != 2 || count > 4 ||
      terms_.lanes() % 32 != 0) {
    return odd_instruction(parts, "of a form, or by threads, that are not known");
  }
  WS_TRY(const std::vector<TermId> halves, halves_of(parts, 1, node, type));
  for (std::size_t i = 0; i < halves.size(); ++i) {
    std::vector<std::size_t> to(terms_.lanes());
    Lanes behind(terms_.lanes());
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      const MatrixSource place =
          ldmatrix_source(lane, i / 2, static_cast<std::int64_t>(i % 2), transposed);
      to[lane] = place.lane;
      behind[lane] = place.element;
    }
    WS_CHECK(memory_.store_shared(address.object, first.gathered(to).plus(Poly(behind)), halves[i],
                                  node.range));
  }
  return {};
}

/// Both elements of each register of an operand, rounded to `type`.
Result<std::vector<TermId>> WarpInstructions::halves_of(const Instruction& parts, std::size_t at,
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
      return odd_instruction(parts, "of registers that are not known");
    }
    for (const TermId half : packed ? std::vector<TermId>(terms_.at(leaf.term).args) : *halves) {
      if (terms_.at(half).type != type && terms_.at(half).kind == TermKind::kLoad) {
        return odd_instruction(parts, "of elements of another type");
      }
      all.push_back(terms_.rounded(half, type));
    }
  }
  return all;
}

/// The four numbers of a thread that a product is added to.
Result<std::vector<TermId>> WarpInstructions::added_sums(const Instruction& parts, const Node& node,
                                                         bool halves) {
  if (halves) {
    return halves_of(parts, 3, node, DType::kF16);
  }
  std::vector<TermId> sums;
  for (std::size_t i = 0; i < kResults; ++i) {
    WS_TRY(const Leaf added, operand(parts, 3, i, node));
    if (added.term == kNone) {
      return odd_instruction(parts, "adds to something that is no number");
    }
    // Cleared registers that hold floats.
    const bool zero = !is_float(terms_.at(added.term).type) && !mode_.is_part();
    const bool cleared = terms_.at(added.term).kind == TermKind::kInteger &&
                         terms_.at(added.term).poly.number() == 0;
    if (zero && !cleared) {
      return odd_instruction(parts, "adds to something that is no float");
    }
    sums.push_back(zero ? terms_.number(0, DType::kF32) : added.term);
  }
  return sums;
}

/// Gives the results to their registers, two to one if they are halves.
Status WarpInstructions::keep_sums(const Instruction& parts, const Node& node,
                                   const std::vector<TermId>& sums, bool halves) {
  const std::size_t each = halves ? 2 : 1;
  const std::size_t count = sums.size() / each;
  if (parts.at(0).words.size() != count) {
    return odd_instruction(parts, kUnknownResults);
  }
  for (std::size_t i = 0; i < count; ++i) {
    WS_TRY(const ValuePlace target, result_place(parts, i, node));
    const TermId made =
        halves ? terms_.operation(OwnOp::kBits, DType::kU32, {sums[2 * i], sums[2 * i + 1]})
               : sums[i];
    WS_CHECK(memory_.store(target, Value{target.type, {{made, kNone, {}}}}, node.range));
  }
  return {};
}

/// mma.sync {d}, {a}, {b}, {c}
Status WarpInstructions::multiply(const Instruction& parts, const Node& node) {
  const DType type = parts.name.find(".bf16.") != std::string::npos ? DType::kBf16 : DType::kF16;
  const bool halves = is_half_product(parts.name);
  WS_TRY(std::vector<TermId> args, halves_of(parts, 1, node, type));
  WS_TRY(const std::vector<TermId> right, halves_of(parts, 2, node, type));
  const std::size_t registers = halves ? kResults / 2 : kResults;
  if (!guards_.is_everyone() || args.size() != kLeftElements || right.size() != kRightElements ||
      node.value != static_cast<std::int64_t>(registers) || terms_.lanes() % 32 != 0) {
    return odd_instruction(parts, "of a form, or by threads, that are not known");
  }
  args.insert(args.end(), right.begin(), right.end());
  WS_TRY(const std::vector<TermId> added, added_sums(parts, node, halves));
  if (added.size() != kResults) {
    return odd_instruction(parts, "with too few operands");
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
