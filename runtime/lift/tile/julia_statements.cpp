// Statements of Julia.
#include <array>

#include "runtime/lift/tile/julia_parser.h"

namespace ws::lift::tile {
namespace {

/// The operator that an assigning one applies before it assigns; empty: it is none.
std::string augmented(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kRows = {{{"+=", "+"},
                                                                                    {"-=", "-"},
                                                                                    {"*=", "*"},
                                                                                    {"/=", "/"},
                                                                                    {"÷=", "div"},
                                                                                    {"%=", "rem"},
                                                                                    {"&=", "&"},
                                                                                    {"|=", "|"},
                                                                                    {"^=", "**"},
                                                                                    {">>=", ">>"},
                                                                                    {".+=", ".+"},
                                                                                    {".-=", ".-"},
                                                                                    {".*=", ".*"},
                                                                                    {"./=", "./"}}};
  for (const auto& [operation, plain] : kRows) {
    if (text == operation) {
      return std::string(plain);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<NodeId>> JuliaParser::block(const Words& until) {
  std::vector<NodeId> body;
  if (++depth_ > kMaxDepth) {
    return wrong("statements nest deeper than " + std::to_string(kMaxDepth));
  }
  while (true) {
    skip_newlines();
    if (peek().kind == Kind::kEnd) {
      return wrong("expected `end`");
    }
    if (peek().kind == Kind::kName && until.contains(peek().text)) {
      break;
    }
    WS_TRY(const NodeId made, statement());
    body.push_back(made);
    if (peek().kind != Kind::kNewline &&
        !(peek().kind == Kind::kName && until.contains(peek().text))) {
      return wrong("expected the end of the statement");
    }
  }
  --depth_;
  return body;
}

Result<NodeId> JuliaParser::statement() {
  const JuliaToken start = peek();
  if (is_keyword("for")) {
    return for_loop();
  }
  if (is_keyword("while")) {
    return while_loop();
  }
  if (is_keyword("if")) {
    return if_statement();
  }
  if (is_keyword("return")) {
    return return_statement();
  }
  if (is_keyword("break") || is_keyword("continue")) {
    take();
    return add(start.text == "break" ? NodeKind::kBreak : NodeKind::kContinue, start);
  }
  if (is_keyword("local")) {
    take();
    return statement();
  }
  if (is_keyword("begin")) {
    take();
    WS_TRY(std::vector<NodeId> body, block({"end"}));
    take();
    const NodeId always = add(NodeKind::kBool, start);
    file_.nodes.back().integer = 1;
    const NodeId made = add(NodeKind::kIf, start, {}, {always});
    file_.nodes.back().body = std::move(body);
    return made;
  }
  if (start.kind == Kind::kMacro) {
    take();
    return macro(start.text, start);
  }
  if (start.kind == Kind::kName && peek(1).text == "." && peek(2).kind == Kind::kMacro) {
    take();
    take();
    return macro(take().text, start);
  }
  return assignment();
}

// Options of the compiler and assertions change no result.
Result<NodeId> JuliaParser::macro(const std::string& name, const JuliaToken& token) {
  if (name == "@inbounds" || name == "@inline" || name == "@noinline") {
    return statement();
  }
  if (name == "@fpmode") {
    while (!is_keyword("begin") && peek().kind != Kind::kNewline && peek().kind != Kind::kEnd) {
      take();
    }
    return statement();
  }
  const bool ignored = name == "@compiler_options" || name == "@assert" || name == "@printf";
  int brackets = 0;
  while (peek().kind != Kind::kEnd && (brackets > 0 || tokens_[next_].kind != Kind::kNewline)) {
    const JuliaToken each = take();
    brackets += each.kind == Kind::kOpen ? 1 : each.kind == Kind::kClose ? -1 : 0;
  }
  return ignored ? add(NodeKind::kPass, token)
                 : add(NodeKind::kUnsupported, token, "`" + name + "`");
}

Result<NodeId> JuliaParser::for_loop() {
  const JuliaToken start = take();
  const JuliaToken name = take();
  if (name.kind != Kind::kName) {
    return wrong("a loop counts with one name");
  }
  const NodeId target = add(NodeKind::kName, name, name.text);
  if (!accept("=") && !accept("∈")) {
    WS_CHECK(expect("in"));
  }
  WS_TRY(const NodeId over, expression());
  WS_TRY(std::vector<NodeId> body, block({"end"}));
  take();
  const NodeId made = add(NodeKind::kFor, start, {}, {target, over});
  file_.nodes.back().body = std::move(body);
  return made;
}

Result<NodeId> JuliaParser::while_loop() {
  const JuliaToken start = take();
  WS_TRY(const NodeId condition, expression());
  WS_TRY(std::vector<NodeId> body, block({"end"}));
  take();
  const NodeId made = add(NodeKind::kWhile, start, {}, {condition});
  file_.nodes.back().body = std::move(body);
  return made;
}

Result<NodeId> JuliaParser::if_statement() {
  const JuliaToken start = take();  // `if` or `elseif`.
  WS_TRY(const NodeId condition, expression());
  WS_TRY(std::vector<NodeId> body, block({"elseif", "else", "end"}));
  std::vector<NodeId> other;
  if (is_keyword("elseif")) {
    WS_TRY(const NodeId nested, if_statement());
    other.push_back(nested);
  } else {
    if (accept("else")) {
      WS_TRY(other, block({"end"}));
    }
    take();
  }
  const NodeId made = add(NodeKind::kIf, start, {}, {condition});
  file_.nodes.back().body = std::move(body);
  file_.nodes.back().other = std::move(other);
  return made;
}

Result<NodeId> JuliaParser::return_statement() {
  const JuliaToken start = take();
  if (peek().kind == Kind::kNewline || is_keyword("end")) {
    return add(NodeKind::kReturn, start);
  }
  WS_TRY(const NodeId value, list());
  if (file_.node(value).kind == NodeKind::kNone) {
    return add(NodeKind::kReturn, start);
  }
  return add(NodeKind::kReturn, start, {}, {value});
}

Result<NodeId> JuliaParser::list() {
  const JuliaToken start = peek();
  WS_TRY(const NodeId first, expression());
  if (peek().kind != Kind::kComma) {
    return first;
  }
  std::vector<NodeId> items{first};
  while (peek().kind == Kind::kComma) {
    take();
    WS_TRY(const NodeId item, expression());
    items.push_back(item);
  }
  return add(NodeKind::kTuple, start, {}, std::move(items));
}

Result<NodeId> JuliaParser::assignment() {
  const JuliaToken start = peek();
  WS_TRY(const NodeId left, list());
  // `condition && return`, `condition || continue`.
  if (is("&&") || is("||")) {
    const bool either = take().text == "||";
    WS_TRY(const NodeId then, statement());
    const NodeId pass = add(NodeKind::kPass, start);
    const NodeId made = add(NodeKind::kIf, start, {}, {left});
    file_.nodes.back().body = {either ? pass : then};
    file_.nodes.back().other = either ? std::vector<NodeId>{then} : std::vector<NodeId>{};
    return made;
  }
  const std::string operation = peek().text;
  if (operation == "=" && peek().kind == Kind::kOperator) {
    take();
    skip_newlines();
    WS_TRY(const NodeId value, list());
    return add(NodeKind::kAssign, start, {}, {value, left});
  }
  if (const std::string plain = augmented(operation); !plain.empty()) {
    take();
    skip_newlines();
    WS_TRY(const NodeId value, expression());
    return add(NodeKind::kAugment, start, plain, {left, value});
  }
  return add(NodeKind::kExpression, start, {}, {left});
}

}  // namespace ws::lift::tile
