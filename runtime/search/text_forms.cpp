#include "runtime/search/text_forms.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/search/code_tokens.h"
#include "runtime/search/tokens.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using Kind = CodeToken::Kind;
using Tokens = std::vector<CodeToken>;
using Names = std::set<std::string, std::less<>>;

// Between tokens; no source that code_tokens() reads has these outside of quotes.
constexpr char kApart = '\x01';
constexpr char kGlued = '\x02';
constexpr char kNumbered = '\x03';

void add_words(std::string_view text, Names& words) {
  for (const RawToken& token : raw_tokens(text)) {
    if (token.kind == RawToken::Kind::kWord) {
      words.emplace(token.text);
    }
  }
}

/// Words in all texts of a form: what is named elsewhere has a meaning beyond the source.
void add_all_words(const Json& form, Names& words) {
  if (form.is_string()) {
    add_words(form.get_ref<const std::string&>(), words);
  }
  if (form.is_object()) {
    for (const auto& [key, value] : form.items()) {
      add_words(key, words);
      add_all_words(value, words);
    }
  }
  if (form.is_array()) {
    for (const Json& value : form) {
      add_all_words(value, words);
    }
  }
}

bool is_symbol(const Tokens& tokens, std::size_t at, std::string_view symbols) {
  return at < tokens.size() && tokens[at].kind == Kind::kSymbol &&
         symbols.find(tokens[at].text[0]) != symbols.npos;
}

/// Whether a type, perhaps with `*`, `&` and qualifiers, stands before the word at `at`.
bool is_declared_at(const Tokens& tokens, std::size_t at) {
  static const Names qualifiers = {"const", "restrict", "__restrict__", "volatile"};
  while (at > 0) {
    const CodeToken& before = tokens[--at];
    const bool qualifies = before.kind == Kind::kWord && qualifiers.contains(before.text);
    if (!qualifies && !is_symbol(tokens, at, "*&")) {
      return before.kind == Kind::kWord && is_type_word(before.text);
    }
  }
  return false;
}

/// Whether the word at `at` may be the name of something else than a variable: a member, a
/// function, a type, a part of a qualified name.
bool is_other_name(const Tokens& tokens, std::size_t at) {
  const bool member = at > 0 && is_symbol(tokens, at - 1, ".");
  const bool arrow = at > 1 && is_symbol(tokens, at - 1, ">") && tokens[at - 1].glued;
  const bool scope = at > 1 && is_symbol(tokens, at - 1, ":") && tokens[at - 1].glued;
  const bool scopes = is_symbol(tokens, at + 1, ":") && is_symbol(tokens, at + 2, ":");
  const bool called = is_symbol(tokens, at + 1, "(");
  const bool type = at + 1 < tokens.size() && tokens[at + 1].kind == Kind::kWord;
  return member || arrow || scope || scopes || called || type;
}

/// The names of variables that the source declares and that mean nothing outside of it.
Names own_names(const Tokens& tokens, const Names& foreign) {
  Names own;
  Names others;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].kind == Kind::kDirective) {
      add_words(tokens[at].text, others);
    }
    if (tokens[at].kind != Kind::kWord || is_language_word(tokens[at].text)) {
      continue;
    }
    Names& kind = is_other_name(tokens, at) ? others : own;
    if (&kind == &others || is_declared_at(tokens, at)) {
      kind.emplace(tokens[at].text);
    }
  }
  std::erase_if(own, [&](const std::string& name) {
    return others.contains(name) || foreign.contains(name);
  });
  return own;
}

std::string joined(const Tokens& tokens, const Names& own) {
  std::map<std::string_view, std::size_t> numbers;
  std::string text;
  for (const CodeToken& token : tokens) {
    text += token.kind == Kind::kDirective ? '\n' : token.glued ? kGlued : kApart;
    if (token.kind == Kind::kWord && own.contains(token.text)) {
      text += kNumbered + std::to_string(numbers.emplace(token.text, numbers.size()).first->second);
    } else {
      text += token.text;
    }
    text += token.kind == Kind::kDirective ? "\n" : "";
  }
  return text;
}

/// Without a line's end between them, macros and source may be read as one text.
bool ends_its_line(const std::string& macros) {
  return macros.empty() || macros.back() == '\n';
}

/// The text without what surely has no meaning.
std::string plain(const std::string& text) {
  const auto tokens = code_tokens(text);
  return tokens ? joined(*tokens, {}) : text;
}

/// Whether all text in a field can be read. One that cannot may count the lines of the source or
/// spell its words out, so that nothing there is without a meaning.
bool is_readable(const Json& field) {
  if (field.is_string()) {
    return code_tokens(field.get<std::string>()).has_value();
  }
  return !field.is_structured() || std::all_of(field.begin(), field.end(),
                                               [](const Json& part) { return is_readable(part); });
}

bool is_readable(const Json& form, const char* field) {
  return !form.contains(field) || is_readable(form[field]);
}

}  // namespace

TextForms text_forms(std::string_view kernel_json) {
  Json form = Json::parse(kernel_json, nullptr, false);
  if (form.is_object()) {
    form.erase("name");
  }
  if (!form.is_object() || !ends_its_line(form.value("macros", "")) ||
      !is_readable(form, "macros") || !is_readable(form, "headers") ||
      !is_readable(form, "options")) {
    const std::string hash = sha256_hex(form.dump(-1, ' ', false, Json::error_handler_t::replace));
    return {hash, hash};
  }
  Json rest = form;
  rest.erase("source");
  Names foreign;
  add_all_words(rest, foreign);
  const auto make_plain = [](Json& field) {
    if (field.is_string()) {
      field = plain(field.get<std::string>());
    }
  };
  if (form.contains("macros")) {
    make_plain(form["macros"]);
  }
  if (form.contains("headers") && form["headers"].is_object()) {
    for (auto& [name, text] : form["headers"].items()) {
      make_plain(text);
    }
  }
  const bool has_source = form.contains("source") && form["source"].is_string();
  const std::string source = has_source ? form["source"].get<std::string>() : std::string();
  const auto tokens = code_tokens(source);
  const auto hash_with = [&form, has_source](std::string text) {
    if (has_source) {
      form["source"] = std::move(text);
    }
    return sha256_hex(form.dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  return tokens ? TextForms{hash_with(joined(*tokens, {})),
                            hash_with(joined(*tokens, own_names(*tokens, foreign)))}
                : TextForms{hash_with(source), hash_with(source)};
}

}  // namespace ws
