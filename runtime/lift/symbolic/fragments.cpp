#include "runtime/lift/symbolic/fragments.h"

#include <algorithm>

#include "runtime/lift/symbolic/matrices.h"

namespace ws::lift {
namespace {

tl::unexpected<Error> odd_fragment(const std::string& why) {
  return fail(ErrorCode::kUnsupported, "a fragment of wmma " + why);
}

/// The words between the angle brackets of a fragment's type, in order.
std::vector<std::string> template_arguments(const std::string& type) {
  std::vector<std::string> words = {""};
  const std::size_t begin = type.find('<');
  for (std::size_t at = begin == std::string::npos ? type.size() : begin + 1; at < type.size();
       ++at) {
    const char c = type[at];
    if (c == ',') {
      words.emplace_back();
    } else if (c != ' ' && c != '>') {
      words.back() += c;
    }
  }
  return words;
}

/// Row or column of one of each thread's elements.
Poly fragment_index(std::size_t lanes, std::size_t element, bool row) {
  Lanes made(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<std::int64_t>(lane % 32 * kFragmentElements + element);
    made[lane] = row ? at / kFragmentSize : at % kFragmentSize;
  }
  return Poly(made);
}

}  // namespace

/// The place of a fragment of 16 x 16. @param sums  Whether it is an accumulator.
Result<ValuePlace> Fragments::fragment(NodeId id, bool sums) {
  WS_TRY(ValuePlace at, runner_.place(id));
  const std::vector<std::string> words =
      at.type == kNone ? std::vector<std::string>() : template_arguments(tree_.type(at.type).name);
  constexpr std::size_t kType = 4;
  const bool shape =
      words.size() > kType && words[1] == "16" && words[2] == "16" && words[3] == "16";
  const bool number = shape && (words[kType] == "__half" || words[kType] == "__nv_bfloat16" ||
                                (sums && words[kType] == "float"));
  if (!number || words[0].ends_with("accumulator") != sums ||
      scalars_.of(at.type).size() != kFragmentElements ||
      objects_.at(at.object).kind != ObjectKind::kLocal) {
    return odd_fragment(
        "is not one of 16 x 16 x 16 halves or bfloat16, with sums in them or floats");
  }
  return at;
}

Status Fragments::fill(const Node& node) {
  WS_TRY(ValuePlace to, runner_.place(node.kids[0]));
  WS_TRY(const TermId value, runner_.term_of(node.kids[1]));
  Value filled{to.type, {}};
  for (const Scalar& element : scalars_.of(to.type)) {
    const DType type = scalars_.dtype_of(element.type);
    // A constant stays one if the type has it.
    const Term& given = terms_.at(value);
    const TermId number = given.op == ir::Op::kCast ? given.args.front() : value;
    const bool zero = terms_.at(number).kind == TermKind::kNumber && terms_.at(number).number == 0;
    filled.leaves.push_back(
        {zero ? terms_.number(0, type) : numbers_.converted(value, type), kNone, {}});
  }
  return memory_.store(to, filled, node.range);
}

/// Where a matrix lies that is loaded to a fragment, or stored from one.
/// @param order  The node of `mem_row_major` or its like; kNone: the fragment's type says it.
Result<MatrixPlace> Fragments::matrix_place(NodeId base, NodeId stride, NodeId order,
                                            const ValuePlace& fragment) {
  WS_TRY(const Leaf pointer, runner_.scalar(base));
  WS_TRY(const TermId given, runner_.term_of(stride));
  if (pointer.object == kNone || pointer.where != kNone ||
      terms_.at(given).kind != TermKind::kInteger) {
    return odd_fragment("at an address that is not known");
  }
  MatrixPlace made;
  made.object = pointer.object;
  made.first = pointer.offset;
  made.bytes = tree_.type(scalars_.of(fragment.type).front().type).bytes;
  made.stride = terms_.at(given).poly.times(Poly(made.bytes));
  made.by_rows = template_arguments(tree_.type(fragment.type).name).back().ends_with("row_major");
  if (order != kNone) {
    WS_TRY(const TermId which, runner_.term_of(order));
    const Term& known = terms_.at(which);
    if (known.kind != TermKind::kInteger || !known.poly.number()) {
      return odd_fragment("in an order that is not known");
    }
    made.by_rows = known.poly.number() == 0;
  }
  return made;
}

/// The offset of one of each thread's elements, in bytes.
Poly Fragments::element_place(const MatrixPlace& matrix, std::size_t element) const {
  const Poly outer = fragment_index(terms_.lanes(), element, matrix.by_rows);
  const Poly inner = fragment_index(terms_.lanes(), element, !matrix.by_rows);
  return matrix.first.plus(outer.times(matrix.stride)).plus(inner, matrix.bytes);
}

Status Fragments::load(const Node& node) {
  const bool sums = node.kids.size() == 4;
  WS_TRY(const ValuePlace to, fragment(node.kids[0], sums));
  WS_TRY(const MatrixPlace matrix,
         matrix_place(node.kids[1], node.kids[2], sums ? node.kids[3] : kNone, to));
  const std::vector<Scalar> elements = scalars_.of(to.type);
  Value loaded{to.type, {}};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    WS_TRY(Leaf leaf, memory_.load_element(matrix.object, element_place(matrix, i), matrix.bytes));
    if (leaf.term == kNone || terms_.at(leaf.term).type != scalars_.dtype_of(elements[i].type)) {
      return odd_fragment("is loaded from elements of another type");
    }
    loaded.leaves.push_back(std::move(leaf));
  }
  return memory_.store(to, loaded, node.range);
}

Status Fragments::store(const Node& node) {
  WS_TRY(const ValuePlace from, fragment(node.kids[1], true));
  WS_TRY(const MatrixPlace matrix, matrix_place(node.kids[0], node.kids[2], node.kids[3], from));
  WS_TRY(const std::vector<TermId> elements, elements_of(from));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    WS_CHECK(memory_.store_element(matrix.object, element_place(matrix, i), matrix.bytes,
                                   {elements[i], kNone, {}}, node.range));
  }
  return {};
}

Result<std::vector<TermId>> Fragments::elements_of(const ValuePlace& fragment) {
  WS_TRY(const Value value, memory_.load(fragment));
  std::vector<TermId> made(value.leaves.size());
  std::ranges::transform(value.leaves, made.begin(), &Leaf::term);
  return made;
}

Status Fragments::multiply(const Node& node) {
  WS_TRY(const ValuePlace to, fragment(node.kids[0], true));
  WS_TRY(const ValuePlace left, fragment(node.kids[1], false));
  WS_TRY(const ValuePlace right, fragment(node.kids[2], false));
  WS_TRY(const ValuePlace added, fragment(node.kids[3], true));
  WS_TRY(std::vector<TermId> args, elements_of(left));
  WS_TRY(const std::vector<TermId> others, elements_of(right));
  WS_TRY(const std::vector<TermId> sums, elements_of(added));
  const DType type = scalars_.dtype_of(scalars_.of(to.type).front().type);
  if (type != scalars_.dtype_of(scalars_.of(added.type).front().type)) {
    return odd_fragment("is the sum of a product and of numbers of another type");
  }
  args.insert(args.end(), others.begin(), others.end());
  Value made{to.type, {}};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Term term;
    term.kind = TermKind::kOperation;
    term.type = type;
    term.op = OwnOp::kFragmentProduct;
    term.args = args;
    term.args.push_back(sums[i]);
    term.slot = static_cast<int>(i);
    made.leaves.push_back({terms_.add(std::move(term)), kNone, {}});
  }
  return memory_.store(to, made, node.range);
}

Result<Value> Fragments::call(const Node& node) {
  if (!guards_.is_everyone() || terms_.lanes() % 32 != 0) {
    return fail(ErrorCode::kUnsupported, "`" + node.text + "` by some threads only");
  }
  memory_.shared().meet_warp();  // The threads of a warp wait for each other.
  const std::string name = node.text.substr(kWmma.size());
  const std::size_t given = node.kids.size();
  Status done = fail(ErrorCode::kUnsupported, "`" + node.text + "` is not known");
  if (name == "fill_fragment" && given == 2) {
    done = fill(node);
  } else if (name == "load_matrix_sync" && (given == 3 || given == 4)) {
    done = load(node);
  } else if (name == "store_matrix_sync" && given == 4) {
    done = store(node);
  } else if (name == "mma_sync" && given == 4) {
    done = multiply(node);
  }
  WS_CHECK(done);
  memory_.shared().meet_warp();
  return Value{node.type, {}};
}

}  // namespace ws::lift
