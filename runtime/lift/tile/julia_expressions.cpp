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

Result<NodeId> JuliaParser::postfix() {
  WS_TRY(NodeId made, primary());
  while (true) {
    const JuliaToken token = peek();
    if (token.kind == Kind::kOpen && !token.spaced) {
      if (token.text == "(") {
        WS_TRY(made, call(made, false));
      } else {
        WS_TRY(made, index(made, token.text));
      }
    } else if (token.text == "." && token.kind == Kind::kOperator && peek(1).text == "(") {
      take();
      WS_TRY(made, call(made, true));
    } else if (token.text == "." && token.kind == Kind::kOperator && peek(1).kind == Kind::kName) {
      take();
      made = add(NodeKind::kAttribute, token, take().text, {made});
    } else if (token.text == "'" && token.kind == Kind::kOperator && !token.spaced) {
      take();
      const NodeId name = add(NodeKind::kName, token, "transpose");
      made = add(NodeKind::kCall, token, {}, {name, made});
    } else if (token.text == "::") {
      take();
      WS_TRY([[maybe_unused]] const NodeId type, primary());
    } else {
      return made;
    }
  }
}

Result<NodeId> JuliaParser::call(NodeId callee, bool dotted) {
  const JuliaToken open = take();
  ++brackets_;
  const bool range = no_range_;
  no_range_ = false;
  std::vector<NodeId> kids{callee};
  std::vector<NodeId> values;
  std::vector<std::string> names;
  while (!is(")")) {
    if (is(";")) {
      take();
      continue;
    }
    if (peek().kind == Kind::kName && peek(1).text == "=" && peek(1).kind == Kind::kOperator) {
      names.push_back(take().text);
      take();
      WS_TRY(const NodeId value, expression());
      values.push_back(value);
    } else {
      WS_TRY(const NodeId value, expression());
      if (is("...")) {
        return wrong("a kernel cannot have `...`");
      }
      kids.push_back(value);
    }
    if (peek().kind == Kind::kComma) {
      take();
    } else if (!is(")") && !is(";")) {
      return wrong("expected `,` or `)`");
    }
  }
  take();
  --brackets_;
  no_range_ = range;
  kids.insert(kids.end(), values.begin(), values.end());
  const NodeId made = add(NodeKind::kCall, open, dotted ? "." : "", std::move(kids));
  file_.nodes.back().line = open.line;
  file_.nodes.back().names = std::move(names);
  return made;
}

// a[i, j], and T{N}, whose node has the text "{".
Result<NodeId> JuliaParser::index(NodeId base, const std::string& open) {
  const JuliaToken start = take();
  const std::string close = open == "[" ? "]" : "}";
  ++brackets_;
  const bool before = no_range_;
  no_range_ = false;
  std::vector<NodeId> kids{base};
  while (!is(close)) {
    if (is(":") && (peek(1).kind == Kind::kComma || peek(1).text == close)) {
      const JuliaToken token = take();
      const NodeId none = add(NodeKind::kNone, token);
      kids.push_back(add(NodeKind::kSlice, token, {}, {none, none, none}));
    } else {
      accept("<:");
      WS_TRY(const NodeId item, expression());
      kids.push_back(item);
    }
    if (peek().kind == Kind::kComma) {
      take();
    } else if (!is(close)) {
      return wrong("expected `,` or `" + close + "`");
    }
  }
  take();
  --brackets_;
  no_range_ = before;
  return add(NodeKind::kIndex, start, open == "{" ? "{" : "", std::move(kids));
}

Result<NodeId> JuliaParser::parentheses() {
  const JuliaToken open = take();
  const std::string close = open.text == "(" ? ")" : "]";
  ++brackets_;
  const bool before = no_range_;
  no_range_ = false;
  std::vector<NodeId> items;
  bool comma = open.text == "[";
  while (!is(close)) {
    WS_TRY(const NodeId item, expression());
    items.push_back(item);
    if (peek().kind == Kind::kComma) {
      take();
      comma = true;
    } else if (!is(close)) {
      return wrong("expected `,` or `" + close + "`");
    }
  }
  take();
  --brackets_;
  no_range_ = before;
  return items.size() == 1 && !comma ? items.front()
                                     : add(NodeKind::kTuple, open, {}, std::move(items));
}

// ct.@fpmode option=value begin expression end: modes of rounding change no meaning here.
Result<NodeId> JuliaParser::options_block() {
  take();
  take();
  if (take().text != "@fpmode") {
    return wrong("expected `@fpmode`, the only macro that an expression may have");
  }
  while (!is_keyword("begin") && peek().kind != Kind::kNewline && peek().kind != Kind::kEnd) {
    take();
  }
  WS_CHECK(expect("begin"));
  skip_newlines();
  WS_TRY(const NodeId value, expression());
  skip_newlines();
  WS_CHECK(expect("end"));
  return value;
}

Result<NodeId> JuliaParser::primary() {
  const JuliaToken token = peek();
  switch (token.kind) {
    case Kind::kInteger:
      take();
      return add(NodeKind::kInteger, token);
    case Kind::kFloat:
      take();
      return add(NodeKind::kFloat, token);
    case Kind::kText:
      take();
      return add(NodeKind::kText, token, token.text);
    case Kind::kOpen:
      return token.text == "{" ? Result<NodeId>(wrong("a value is expected")) : parentheses();
    case Kind::kName: {
      constexpr std::array<std::string_view, 12> kWords = {"end", "else",  "elseif", "function",
                                                           "let", "do",    "try",    "struct",
                                                           "for", "while", "quote",  "macro"};
      if (std::ranges::find(kWords, token.text) != kWords.end()) {
        return wrong("a value is expected");
      }
      if (peek(1).text == "." && peek(2).kind == Kind::kMacro) {
        return options_block();
      }
      take();
      if (token.text == "true" || token.text == "false") {
        const NodeId made = add(NodeKind::kBool, token);
        file_.nodes.back().integer = token.text == "true" ? 1 : 0;
        return made;
      }
      return add(token.text == "nothing" ? NodeKind::kNone : NodeKind::kName, token, token.text);
    }
    case Kind::kOperator:
      if (token.text == ":" && peek(1).kind == Kind::kName) {
        take();
        return add(NodeKind::kText, token, take().text);
      }
      return wrong("a value is expected");
    default:
      return wrong("a value is expected");
  }
}

}  // namespace ws::lift::tile
