// The tokens of the parser, and its nodes.
#include <algorithm>

#include "runtime/lift/tile/julia_parser.h"

namespace ws::lift::tile {

const JuliaToken& JuliaParser::peek(std::size_t ahead) const {
  std::size_t at = next_;
  const auto skip = [&] {
    while (brackets_ > 0 && tokens_[at].kind == Kind::kNewline && tokens_[at].text != ";") {
      ++at;
    }
  };
  skip();
  for (; ahead > 0 && at + 1 < tokens_.size(); --ahead) {
    ++at;
    skip();
  }
  return tokens_[std::min(at, tokens_.size() - 1)];
}

JuliaToken JuliaParser::take() {
  while (brackets_ > 0 && tokens_[next_].kind == Kind::kNewline && tokens_[next_].text != ";") {
    ++next_;
  }
  const JuliaToken token = tokens_[next_];
  next_ = std::min(next_ + 1, tokens_.size() - 1);
  return token;
}

bool JuliaParser::is(std::string_view text) const {
  const JuliaToken& token = peek();
  return token.text == text && token.kind != Kind::kText && token.kind != Kind::kEnd;
}

bool JuliaParser::is_keyword(std::string_view word) const {
  return peek().kind == Kind::kName && peek().text == word;
}

bool JuliaParser::accept(std::string_view text) {
  if (!is(text)) {
    return false;
  }
  take();
  return true;
}

Status JuliaParser::expect(std::string_view text) {
  return accept(text) ? Status() : Status(wrong("expected `" + std::string(text) + "`"));
}

void JuliaParser::skip_newlines() {
  while (tokens_[next_].kind == Kind::kNewline) {
    ++next_;
  }
}

tl::unexpected<Error> JuliaParser::wrong(const std::string& message) const {
  const JuliaToken& token = peek();
  const std::string got = token.kind == Kind::kEnd       ? "the end"
                          : token.kind == Kind::kNewline ? "the end of the line"
                          : token.kind == Kind::kBad     ? token.text
                                                         : "`" + token.text + "`";
  return fail(ErrorCode::kInvalidArgument, message + ", got " + got);
}

NodeId JuliaParser::add(NodeKind kind, const JuliaToken& at, std::string text,
                        std::vector<NodeId> kids) {
  Node node;
  node.kind = kind;
  node.line = at.line;
  node.column = at.column;
  node.text = std::move(text);
  node.kids = std::move(kids);
  node.integer = at.integer;
  node.number = at.number;
  file_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(file_.nodes.size() - 1);
}

}  // namespace ws::lift::tile
