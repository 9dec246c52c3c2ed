// Calls, indices, brackets, names and literals.
#include <algorithm>
#include <array>

#include "runtime/lift/tile/julia_parser.h"

namespace ws::lift::tile {

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
