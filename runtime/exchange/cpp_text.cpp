#include "runtime/exchange/cpp_text.h"

#include <algorithm>
#include <utility>

#include "runtime/base/text.h"
#include "runtime/exchange/host_words.h"

namespace ws {

std::size_t behind_bracket(Tokens tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    depth += text == "(" || text == "[" || text == "{" ? 1U : 0U;
    if (text == ")" || text == "]" || text == "}") {
      if (--depth == 0) {
        return i + 1;
      }
    }
  }
  return tokens.size();
}

Tokens inside_of(Tokens tokens, std::size_t open) {
  const std::size_t end = behind_bracket(tokens, open);
  return end > open + 1 ? tokens.subspan(open + 1, end - open - 2) : Tokens();
}

std::vector<Tokens> split_at_commas(Tokens tokens) {
  std::vector<Tokens> parts;
  std::size_t from = 0;
  for (std::size_t i = 0; i < tokens.size();) {
    const std::string_view text = tokens[i].text;
    if (text == ",") {
      parts.push_back(tokens.subspan(from, i - from));
      from = i + 1;
    }
    const bool opens = text == "(" || text == "[" || text == "{";
    i = opens ? behind_bracket(tokens, i) : i + 1;
  }
  if (!tokens.empty()) {
    parts.push_back(tokens.subspan(from));
  }
  return parts;
}

std::string text_of_tokens(Tokens tokens) {
  std::string text;
  for (const RawToken& token : tokens) {
    const bool apart = !text.empty() && is_word(text.back()) && is_word(token.text.front());
    text += (apart || text.ends_with(",") ? " " : "") + std::string(token.text);
  }
  return text;
}

void CppText::add_header(CppText header) {
  functions_.insert(header.functions_.begin(), header.functions_.end());
  constants_.insert(header.constants_.begin(), header.constants_.end());
  headers_.push_back(std::move(header));
}

const CppFunction* CppText::function(std::string_view name) const {
  const auto at = functions_.find(name);
  return at == functions_.end() ? nullptr : &at->second;
}

Tokens CppText::constant(std::string_view name) const {
  const auto at = constants_.find(name);
  return at == constants_.end() ? Tokens() : at->second;
}

namespace {

bool brackets_match(Tokens tokens) {
  std::string open;
  for (const RawToken& token : tokens) {
    const char c = token.kind == RawToken::Kind::kSymbol ? token.text.front() : ' ';
    if (c == '(' || c == '[' || c == '{') {
      open += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (!open.ends_with(c)) {
        return false;
      }
      open.pop_back();
    }
  }
  return open.empty();
}

/// A name with tokens that stand before and behind its parameters.
struct Head {
  std::string_view name;
  Tokens parameters;
};

/// The last bracket behind a name that is no attribute: `__global__ __launch_bounds__(32) void f(`.
Head head_of_function(Tokens declaration) {
  Head head;
  for (std::size_t i = 0; i < declaration.size();) {
    if (declaration[i].text != "(") {
      ++i;
      continue;
    }
    const std::size_t end = behind_bracket(declaration, i);
    const bool named = i > 0 && declaration[i - 1].kind == RawToken::Kind::kWord;
    const std::string_view name = named ? declaration[i - 1].text : std::string_view();
    if (named && name != "__launch_bounds__" && name != "noexcept" && name != "__attribute__") {
      head = {name, inside_of(declaration, i)};
    }
    i = end;
  }
  return head;
}

}  // namespace

class CppReader {
 public:
  explicit CppReader(std::string_view text)
      : text_(text) {}

  Result<CppText> read() {
    read_lines();
    WS_CHECK(read_declarations());
    write_device_source();
    return std::move(made_);
  }

 private:
  /// Tokens of all lines but the preprocessor's, whose definitions and includes are kept.
  void read_lines() {
    std::size_t from = 0;  // The text since the last line of the preprocessor.
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t end = std::min(text_.find('\n', at), text_.size());
      if (!trimmed(text_.substr(at, end - at)).starts_with('#')) {
        at = end + 1;
        continue;
      }
      while (end < text_.size() && text_.substr(at, end - at).ends_with('\\')) {
        end = std::min(text_.find('\n', end + 1), text_.size());
      }
      add_tokens(text_.substr(from, at - from));
      read_directive(text_.substr(at, end - at));
      from = at = std::min(end + 1, text_.size());
    }
    add_tokens(text_.substr(from));
  }

  void add_tokens(std::string_view part) {
    for (const RawToken& token : raw_tokens(part)) {
      made_.tokens_.push_back(token);
    }
  }

  void read_directive(std::string_view line) {
    made_.macro_tokens_.push_back(raw_tokens(line));
    const Tokens tokens = made_.macro_tokens_.back();
    if (tokens.size() > 1 && tokens[1].text == "include") {
      const std::size_t open = line.find_first_of("<\"");
      const std::size_t close = line.find_last_of(">\"");
      if (open != std::string_view::npos && close > open &&
          is_host_header(line.substr(open + 1, close - open - 1))) {
        cut_.emplace_back(line.data() - text_.data(), line.size());
      }
    } else if (tokens.size() > 3 && tokens[1].text == "define") {
      const bool call = tokens[3].text == "(" &&
                        tokens[3].text.data() == tokens[2].text.data() + tokens[2].text.size();
      if (!call) {
        made_.constants_[std::string(tokens[2].text)] = tokens.subspan(3);
        return;
      }
      CppFunction& macro = made_.functions_[std::string(tokens[2].text)];
      macro.parameters = split_at_commas(inside_of(tokens, 3));
      macro.body = tokens.subspan(behind_bracket(tokens, 3));
      macro.macro = true;
    }
  }

  Status read_declarations() {
    const Tokens tokens = made_.tokens_;
    if (!brackets_match(tokens)) {
      return fail(ErrorCode::kInvalidArgument, "the brackets of the C++ text do not match");
    }
    std::size_t from = 0;  // Where the statement begins.
    std::size_t head = 0;  // Behind its last block: no token is looked at for two blocks.
    for (std::size_t i = 0; i < tokens.size();) {
      const std::string_view text = tokens[i].text;
      const Tokens declaration = tokens.subspan(head, i - head);
      if (text == "}" || (text == "{" && opens_scope(declaration))) {
        from = head = ++i;
      } else if (text == ";") {
        read_statement(tokens.subspan(from, i + 1 - from));
        from = head = ++i;
      } else if (text == "{" || text == "(" || text == "[") {
        const std::size_t end = behind_bracket(tokens, i);
        const bool function = text == "{" && !has_word(declaration, "struct") &&
                              !head_of_function(declaration).name.empty();
        if (function) {
          read_function(declaration, inside_of(tokens, i));
          from = end;
        }
        head = text == "{" ? end : head;
        i = end;
      } else {
        ++i;
      }
    }
    return {};
  }

  static bool opens_scope(Tokens declaration) {
    const bool external = declaration.size() == 2 && declaration[0].text == "extern";
    return external ||
           has_word(declaration.first(std::min<std::size_t>(declaration.size(), 2)), "namespace");
  }

  void read_function(Tokens declaration, Tokens body) {
    const Head head = head_of_function(declaration);
    CppFunction& function = made_.functions_[std::string(head.name)];
    function.body = body;
    function.kernel = has_word(declaration, "__global__");
    function.parameters = split_at_commas(head.parameters);
    for (Tokens& parameter : function.parameters) {
      const auto standard = std::ranges::find(parameter, std::string_view("="), &RawToken::text);
      parameter = parameter.first(static_cast<std::size_t>(standard - parameter.begin()));
    }
    const bool device = function.kernel || has_word(declaration, "__device__");
    if (!device && (is_host_code(declaration) || is_host_code(body))) {
      cut_tokens(declaration.front(), *(body.data() + body.size()));
    }
  }

  void read_statement(Tokens statement) {
    if (is_host_code(statement)) {
      cut_tokens(statement.front(), statement.back());
      return;
    }
    if (!has_word(statement, "constexpr") && !has_word(statement, "const")) {
      return;
    }
    for (const Tokens& part : split_at_commas(statement.first(statement.size() - 1))) {
      const auto equals = std::ranges::find(part, std::string_view("="), &RawToken::text);
      const auto at = static_cast<std::size_t>(equals - part.begin());
      if (equals != part.end() && at > 0) {
        made_.constants_[std::string(part[at - 1].text)] = part.subspan(at + 1);
      }
    }
  }

  void cut_tokens(const RawToken& first, const RawToken& last) {
    const char* const begin = first.text.data();
    const char* const end = last.text.data() + last.text.size();
    cut_.emplace_back(begin - text_.data(), end - begin);
  }

  void write_device_source() {
    std::ranges::sort(cut_);
    std::size_t at = 0;
    std::string& text = made_.device_source_;
    for (const auto& [from, size] : cut_) {
      const auto begin = static_cast<std::size_t>(from);
      const auto end = static_cast<std::size_t>(from + size);
      if (end <= at) {
        continue;  // It lies in a longer cut.
      }
      text += text_.substr(at, std::max(begin, at) - at);
      at = end;
      at += at < text_.size() && text_[at] == '\n' ? 1U : 0U;
    }
    text += text_.substr(at);
    text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
    text.resize(text.find_last_not_of(" \n") + 1);
    text += "\n";
  }

  const std::string_view text_;
  CppText made_;
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> cut_;  // Place and size.
};

Result<CppText> CppText::read(std::string_view text) {
  return CppReader(text).read();
}

}  // namespace ws
