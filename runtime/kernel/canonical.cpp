#include "runtime/kernel/canonical.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/kernel/source_tokens.h"

namespace ws {
namespace {

using Tokens = std::vector<SourceToken>;

/// A name right after one of these, stars and qualifiers between them, is declared there.
constexpr std::array kTypeWords = {"auto", "bool", "char",  "double", "float",   "half",
                                   "int",  "long", "short", "signed", "unsigned"};
constexpr std::array kBetween = {"*", "&", "const", "restrict", "__restrict__", "volatile"};
constexpr std::array kAfterName = {"=", ";", ",", ")", "[", ":", "{"};
/// What is declared with these is not local.
constexpr std::array kNotLocal = {"extern", "typedef", "using", "friend", "template"};

/// Directives that leave the tokens around them alone.
constexpr std::array kHarmless = {"include", "pragma"};
/// A name after one of these is a type's, which a variable of that name does not hide.
constexpr std::array kBeforeType = {"struct", "class", "union", "enum", "typename", "goto"};
constexpr std::array kBeforeMember = {".", "->", "::"};
constexpr std::array kStarts = {";", "{", "}", "(", ","};

template <typename List>
bool is_one_of(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// For each bracket the place of its partner. Nothing: they do not pair.
std::optional<std::vector<std::size_t>> partners_of(const Tokens& tokens) {
  std::vector<std::size_t> partners(tokens.size(), tokens.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "{" || text == "[") {
      open.push_back(i);
    } else if (text == ")" || text == "}" || text == "]") {
      const std::string_view wanted = text == ")" ? "(" : (text == "}" ? "{" : "[");
      if (open.empty() || tokens[open.back()].text != wanted) {
        return std::nullopt;
      }
      partners[i] = open.back();
      partners[open.back()] = i;
      open.pop_back();
    }
  }
  return open.empty() ? std::optional(std::move(partners)) : std::nullopt;
}

/// The names in pragmas. Nothing: one of them may change what the other tokens are, as a macro
/// or a condition does, so that no name's scope is sure.
std::optional<std::set<std::string_view>> names_of_pragmas(const Tokens& tokens) {
  std::set<std::string_view> names;
  for (const SourceToken& token : tokens) {
    if (token.kind != TokenKind::kDirective) {
      continue;
    }
    const auto words = source_tokens(token.text.substr(1));
    if (!words || words->empty() || !is_one_of(kHarmless, words->front().text)) {
      return std::nullopt;
    }
    if (words->front().text == "pragma") {
      std::transform(words->begin(), words->end(), std::inserter(names, names.end()),
                     [](const SourceToken& word) { return word.text; });
    }
  }
  return names;
}

/// On a line of its own, as it has to be.
void append_directive(std::string& result, std::string_view line) {
  result += '\n';
  bool blank = false;
  for (const char c : line) {
    const bool space = c == ' ' || c == '\t' || c == '\r';
    if (!space) {
      result += (blank ? " " : "");
      result += c;
    }
    blank = space;
  }
  result += '\n';
}

std::string plain_text(const Tokens& tokens) {
  std::string result;
  for (const SourceToken& token : tokens) {
    if (token.kind == TokenKind::kDirective) {
      append_directive(result, token.text);
    } else {
      result += token.text;
      result += ' ';
    }
  }
  return result;
}

class Renamer {
 public:
  Renamer(const Tokens& tokens, std::vector<std::size_t> partners, std::set<std::string_view> fixed)
      : tokens_(tokens),
        partners_(std::move(partners)),
        fixed_(std::move(fixed)) {}

  std::string text() {
    std::string result;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      while (!scopes_.empty() && scopes_.back().end < i) {
        scopes_.pop_back();
      }
      if (tokens_[i].kind == TokenKind::kDirective) {
        append_directive(result, tokens_[i].text);
        continue;
      }
      follow_brackets(i);
      result += word(i);
      result += ' ';
    }
    return result;
  }

 private:
  struct Scope {
    std::size_t opener;  ///< Its `(` or `{`.
    std::size_t end;     ///< Its last token.
    bool declares;       ///< Whether what is declared in it is local.
    std::map<std::string_view, std::string> names;
  };

  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }

  [[nodiscard]] std::string_view before(std::size_t i) const { return i == 0 ? "" : at(i - 1); }

  void follow_brackets(std::size_t i) {
    if (partners_[i] < i) {
      brackets_.pop_back();
    } else if (partners_[i] < tokens_.size()) {
      brackets_.push_back(i);
      open_scope(i);
    }
  }

  /// A header with its block, or a block of statements; any other brace declares no local.
  void open_scope(std::size_t i) {
    const std::string_view text = at(i);
    if (text == "(" && at(partners_[i] + 1) == "{") {
      const std::size_t end = partners_[partners_[i] + 1];
      scopes_.push_back({i, end, at(end + 1) != "else", {}});  // An else sees the names too.
    } else if (text == "{") {
      const std::string_view last = before(i);
      const bool inner = !scopes_.empty() && scopes_.back().declares &&
                         (last == "{" || last == "}" || last == ";");
      const bool block = last == ")" || last == "else" || last == "do" || inner;
      scopes_.push_back({i, partners_[i], block, {}});
    }
  }

  std::string word(std::size_t i) {
    const std::string_view text = at(i);
    const std::string_view last = before(i);
    const bool plain = tokens_[i].kind == TokenKind::kName && !is_one_of(kBeforeMember, last) &&
                       !is_one_of(kBeforeType, last) && at(i + 1) != "::" && !fixed_.contains(text);
    if (!plain) {
      return std::string(text);
    }
    if (is_declared_at(i)) {
      return scopes_.back().names[text] = "$" + std::to_string(declared_++);
    }
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto name = scope->names.find(text); name != scope->names.end()) {
        return name->second;
      }
    }
    return std::string(text);
  }

  [[nodiscard]] bool is_declared_at(std::size_t i) const {
    if (scopes_.empty() || !scopes_.back().declares || !is_one_of(kAfterName, at(i + 1)) ||
        brackets_.back() != scopes_.back().opener) {
      return false;
    }
    std::size_t type = i;
    while (type > 0 && is_one_of(kBetween, at(type - 1))) {
      --type;
    }
    if (type == 0 || !is_one_of(kTypeWords, at(type - 1))) {
      return false;
    }
    // From the start of the statement or parameter on: nothing may say that it is not local.
    for (std::size_t k = type - 1; k > 0 && !is_one_of(kStarts, at(k - 1)); --k) {
      if (is_one_of(kNotLocal, at(k - 1))) {
        return false;
      }
    }
    return true;
  }

  const Tokens& tokens_;
  const std::vector<std::size_t> partners_;
  const std::set<std::string_view> fixed_;
  std::vector<std::size_t> brackets_;  // Open ones.
  std::vector<Scope> scopes_;
  int declared_ = 0;
};

}  // namespace

std::string canonical_source(std::string_view source) {
  const auto tokens = source_tokens(source);
  if (!tokens) {
    return std::string(source);
  }
  auto partners = partners_of(*tokens);
  auto fixed = names_of_pragmas(*tokens);
  if (!partners || !fixed) {
    return plain_text(*tokens);
  }
  return Renamer(*tokens, *std::move(partners), *std::move(fixed)).text();
}

}  // namespace ws
