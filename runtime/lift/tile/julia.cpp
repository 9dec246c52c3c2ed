#include "runtime/lift/tile/julia.h"

#include <algorithm>
#include <array>

#include "runtime/lift/tile/julia_parser.h"

namespace ws::lift::tile {
namespace {

constexpr std::array<std::string_view, 13> kOpeners = {
    "function", "begin", "let", "module", "struct", "for",       "while",
    "if",       "do",    "try", "quote",  "macro",  "baremodule"};

bool opens_block(const JuliaToken& token) {
  return token.kind == JuliaToken::Kind::kName &&
         std::ranges::find(kOpeners, token.text) != kOpeners.end();
}

}  // namespace

std::variant<File, std::vector<Complaint>> read_julia(std::string_view source) {
  return JuliaParser(julia_tokens(source)).run();
}

std::variant<File, std::vector<Complaint>> JuliaParser::run() {
  file_.modules["ct"] = "cuTile";
  file_.modules["cuTile"] = "cuTile";
  while (peek().kind != Kind::kEnd && complaints_.empty()) {
    top_level();
  }
  if (!complaints_.empty()) {
    return std::move(complaints_);
  }
  return std::move(file_);
}

void JuliaParser::complain(const JuliaToken& token, std::string message, std::string hint) {
  complaints_.push_back(
      {token.line, token.column, "Julia: " + std::move(message), std::move(hint)});
}

void JuliaParser::top_level() {
  if (peek().kind == Kind::kNewline) {
    take();
  } else if (is_keyword("function")) {
    function();
  } else if (peek().kind == Kind::kMacro && peek(1).text == "function") {
    take();  // @inline function ...
  } else if (is_keyword("import") || is_keyword("using")) {
    import_line();
  } else if (is_keyword("const")) {
    take();
    constant_line();
  } else if (is_keyword("module")) {
    take();
    take();
    ++modules_;
  } else if (is_keyword("end")) {
    if (modules_ == 0) {
      complain(peek(), "an `end` that ends nothing");
    }
    --modules_;
    take();
  } else if (!short_function()) {
    skip_statement();
  }
}

// `import cuTile as ct`, `using cuTile: cuTile as ct`.
void JuliaParser::import_line() {
  std::string module;
  while (peek().kind != Kind::kNewline && peek().kind != Kind::kEnd) {
    const JuliaToken token = take();
    if (token.kind == Kind::kName && token.text == "as") {
      file_.modules[peek().text] = module;
    } else if (token.kind == Kind::kName) {
      module = token.text;
    }
  }
}

void JuliaParser::constant_line() {
  const std::size_t start = next_;
  const std::string name = peek().text;
  if (peek().kind == Kind::kName && peek(1).text == "=") {
    take();
    take();
    if (const Result<NodeId> value = expression()) {
      file_.constants[name] = *value;
      return;
    }
  }
  go_on_at(start);
  skip_statement();
}

// Host code: to the end of its line, with all blocks that begin there.
void JuliaParser::skip_statement() {
  int blocks = 0;
  int brackets = 0;
  while (peek().kind != Kind::kEnd) {
    const JuliaToken token = take();
    brackets += token.kind == Kind::kOpen ? 1 : token.kind == Kind::kClose ? -1 : 0;
    if (token.kind == Kind::kNewline && blocks <= 0 && brackets <= 0) {
      return;
    }
    if (brackets == 0 && opens_block(token)) {
      ++blocks;
    } else if (brackets == 0 && token.kind == Kind::kName && token.text == "end") {
      if (--blocks < 0) {
        complain(token, "an `end` that ends nothing");
        return;
      }
    }
  }
}

std::optional<std::size_t> JuliaParser::block_end(std::size_t from) const {
  int blocks = 0;
  int brackets = 0;
  for (std::size_t i = from; i < tokens_.size(); ++i) {
    const JuliaToken& token = tokens_[i];
    brackets += token.kind == Kind::kOpen ? 1 : token.kind == Kind::kClose ? -1 : 0;
    const bool word = brackets == 0 && token.kind == Kind::kName;
    blocks += opens_block(token) && word ? 1 : 0;
    blocks -= word && token.text == "end" ? 1 : 0;
    if (word && token.text == "end" && blocks == 0) {
      return i + 1;
    }
  }
  return std::nullopt;
}

void JuliaParser::function() {
  const std::optional<std::size_t> end = block_end(next_);
  const JuliaToken start = peek();
  if (!end) {
    complain(start, "`function " + peek(1).text + "` has no `end`",
             "each `if`, `for`, `while` and `begin` in it needs an `end` of its own");
    return;
  }
  take();
  Result<Function> made = signature();
  Result<std::vector<NodeId>> body =
      made ? block({"end"}) : Result<std::vector<NodeId>>(fail(made.error()));
  const JuliaToken place = peek();
  if (made && body && next_ + 1 == *end) {
    made->body = *std::move(body);
  } else if (made) {
    const std::string why = body ? "`end` comes too early" : body.error().message;
    made->body = {add(NodeKind::kUnread, place, why)};
  }
  if (made) {
    made->line = start.line;
    made->last_line = tokens_[*end - 1].line;
    file_.functions.push_back(*std::move(made));
  }
  go_on_at(*end);
}

void JuliaParser::go_on_at(std::size_t token) {
  next_ = token;
  brackets_ = 0;
  depth_ = 0;
  no_range_ = false;
}

// `name(a, b) = expression`.
bool JuliaParser::short_function() {
  if (peek().kind != Kind::kName || peek(1).text != "(" || peek(1).spaced) {
    return false;
  }
  const std::size_t start = next_;
  Result<Function> made = signature();
  if (made && accept("=")) {
    skip_newlines();
    const JuliaToken place = peek();
    if (const Result<NodeId> value = expression()) {
      made->line = place.line;
      made->last_line = place.line;
      made->body = {add(NodeKind::kReturn, place, {}, {*value})};
      file_.functions.push_back(*std::move(made));
      return true;
    }
  }
  go_on_at(start);
  return false;
}

Result<Function> JuliaParser::signature() {
  Function made;
  made.name = take().text;
  WS_CHECK(expect("("));
  ++brackets_;
  WS_CHECK(parameters(made));
  --brackets_;
  if (accept("::")) {
    WS_TRY([[maybe_unused]] const NodeId type, postfix());
  }
  skip_where();
  return made;
}

Status JuliaParser::parameters(Function& made) {
  while (!is(")")) {
    WS_TRY(Parameter parameter, this->parameter());
    made.parameters.push_back(std::move(parameter));
    made.open = made.open || accept("...");
    skip_newlines();
    if (peek().kind == Kind::kComma) {
      take();
      skip_newlines();
    } else if (!is(")")) {
      return wrong("expected `,` or `)`");
    }
  }
  take();
  return {};
}

Result<Parameter> JuliaParser::parameter() {
  skip_newlines();
  Parameter made;
  made.line = peek().line;
  made.name = "_";
  if (peek().kind == Kind::kName) {
    made.name = take().text;
  }
  if (accept("::")) {
    WS_TRY(made.annotation, postfix());
  }
  if (accept("=")) {
    WS_TRY(made.default_value, expression());
  }
  return made;
}

void JuliaParser::skip_where() {
  if (!is_keyword("where")) {
    return;
  }
  int depth = 0;
  do {
    const JuliaToken token = take();
    depth += token.kind == Kind::kOpen ? 1 : token.kind == Kind::kClose ? -1 : 0;
  } while (peek().kind != Kind::kEnd && (depth > 0 || peek().kind != Kind::kNewline) &&
           !(depth == 0 && peek().text == "="));
}

}  // namespace ws::lift::tile
