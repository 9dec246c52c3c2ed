// Expressions of Julia.
#include <algorithm>
#include <array>

#include "runtime/lift/tile/julia_parser.h"

namespace ws::lift::tile {
namespace {

struct Row {
  std::string_view text;   ///< Without its dot.
  std::string_view plain;  ///< In the tree.
};

// From the loosest to the tightest; comparisons and ranges stand between the second and the third.
constexpr std::array<Row, 1> kEither = {{{"||", "or"}}};
constexpr std::array<Row, 1> kBoth = {{{"&&", "and"}}};
constexpr std::array<Row, 4> kSums = {{{"+", "+"}, {"-", "-"}, {"|", "|"}, {"⊻", "^"}}};
constexpr std::array<Row, 5> kProducts = {
    {{"*", "*"}, {"/", "/"}, {"÷", "div"}, {"%", "rem"}, {"&", "&"}}};
constexpr std::array<Row, 3> kShifts = {{{"<<", "<<"}, {">>", ">>"}, {">>>", ">>"}}};
constexpr std::array<Row, 12> kComparisons = {{{"==", "=="},
                                               {"!=", "!="},
                                               {"<=", "<="},
                                               {">=", ">="},
                                               {"<", "<"},
                                               {">", ">"},
                                               {"≤", "<="},
                                               {"≥", ">="},
                                               {"≠", "!="},
                                               {"===", "is"},
                                               {"!==", "is not"},
                                               {"in", "in"}}};

/// The operator in the tree, with its dot; empty: it is none of the rows.
template <std::size_t kCount>
std::string operator_of(const std::array<Row, kCount>& rows, const JuliaToken& token) {
  if (token.kind != JuliaToken::Kind::kOperator && token.text != "in") {
    return {};
  }
  const bool dotted = token.text.size() > 1 && token.text.front() == '.';
  const std::string_view text = std::string_view(token.text).substr(dotted ? 1 : 0);
  const auto* const row =
      std::ranges::find_if(rows, [&](const Row& each) { return each.text == text; });
  return row == rows.end() ? "" : (dotted ? "." : "") + std::string(row->plain);
}

bool leaves(const JuliaToken& token) {
  return token.text == "return" || token.text == "break" || token.text == "continue";
}

}  // namespace

Result<NodeId> JuliaParser::expression() {
  if (++depth_ > kMaxDepth) {
    return wrong("expressions nest deeper than " + std::to_string(kMaxDepth));
  }
  const JuliaToken start = peek();
  WS_TRY(const NodeId condition, binary(0));
  NodeId made = condition;
  if (is("?")) {
    take();
    const bool before = no_range_;
    no_range_ = true;
    skip_newlines();
    WS_TRY(const NodeId then, expression());
    no_range_ = before;
    skip_newlines();
    WS_CHECK(expect(":"));
    skip_newlines();
    WS_TRY(const NodeId other, expression());
    made = add(NodeKind::kConditional, start, {}, {then, condition, other});
  } else if (is("->")) {
    return wrong("a kernel cannot have a function without a name");
  }
  --depth_;
  return made;
}

Result<NodeId> JuliaParser::binary(int level) {
  constexpr int kCompare = 2;
  constexpr int kUnary = 6;
  if (level == kCompare) {
    return comparison();
  }
  if (level == kUnary) {
    return unary();
  }
  const auto operation = [level](const JuliaToken& token) {
    switch (level) {
      case 0:
        return operator_of(kEither, token);
      case 1:
        return operator_of(kBoth, token);
      case 3:
        return operator_of(kSums, token);
      case 4:
        return operator_of(kProducts, token);
      default:
        return operator_of(kShifts, token);
    }
  };
  WS_TRY(NodeId left, binary(level + 1));
  for (std::string op = operation(peek()); !op.empty(); op = operation(peek())) {
    if ((op == "and" || op == "or") && leaves(peek(1))) {
      break;  // A statement.
    }
    const JuliaToken token = take();
    skip_newlines();
    WS_TRY(const NodeId right, binary(level + 1));
    const NodeKind kind = op == "and"  ? NodeKind::kAnd
                          : op == "or" ? NodeKind::kOr
                                       : NodeKind::kBinary;
    left = add(kind, token, op, {left, right});
  }
  return left;
}

// Chains: a < b < c.
Result<NodeId> JuliaParser::comparison() {
  WS_TRY(NodeId left, range());
  std::vector<NodeId> parts;
  const JuliaToken start = peek();
  for (std::string op = operator_of(kComparisons, peek()); !op.empty();
       op = operator_of(kComparisons, peek())) {
    const JuliaToken token = take();
    skip_newlines();
    WS_TRY(const NodeId right, range());
    parts.push_back(add(NodeKind::kCompare, token, op, {left, right}));
    left = right;
  }
  if (parts.empty()) {
    return left;
  }
  return parts.size() == 1 ? parts.front() : add(NodeKind::kAnd, start, {}, std::move(parts));
}

// first:last and first:step:last.
Result<NodeId> JuliaParser::range() {
  const JuliaToken start = peek();
  WS_TRY(const NodeId first, binary(3));
  if (no_range_ || !is(":")) {
    return first;
  }
  take();
  WS_TRY(NodeId last, binary(3));
  NodeId step = add(NodeKind::kNone, start);
  if (is(":")) {
    take();
    step = last;
    WS_TRY(last, binary(3));
  }
  return add(NodeKind::kSlice, start, {}, {first, last, step});
}

Result<NodeId> JuliaParser::unary() {
  const JuliaToken token = peek();
  if (token.kind == Kind::kOperator &&
      (token.text == "-" || token.text == "+" || token.text == "!" || token.text == "~" ||
       token.text == ".-")) {
    take();
    if (++depth_ > kMaxDepth) {
      return wrong("expressions nest deeper than " + std::to_string(kMaxDepth));
    }
    WS_TRY(const NodeId operand, unary());
    --depth_;
    const std::string op = token.text == "!" ? "not" : token.text == ".-" ? "-" : token.text;
    return add(NodeKind::kUnary, token, op, {operand});
  }
  return power();
}

Result<NodeId> JuliaParser::power() {
  WS_TRY(const NodeId base, postfix());
  if (!is("^") && !is(".^")) {
    return base;
  }
  const JuliaToken token = take();
  WS_TRY(const NodeId exponent, unary());
  return add(NodeKind::kBinary, token, token.text == "^" ? "**" : ".**", {base, exponent});
}

}  // namespace ws::lift::tile
