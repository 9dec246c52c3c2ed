#include "runtime/search/tokens.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"

namespace ws {
namespace {

// Words of C++, CUDA and the preprocessor: renaming any of them changes the program. Further
// intrinsics start with `__`, or are called without being declared.
constexpr std::string_view kKept[] = {
    "alignas",   "asm",         "auto",     "blockDim", "blockIdx",   "bool",
    "break",     "case",        "char",     "class",    "clusterDim", "const",
    "constexpr", "continue",    "decltype", "default",  "define",     "do",
    "double",    "double2",     "double4",  "else",     "endif",      "enum",
    "extern",    "false",       "float",    "float2",   "float3",     "float4",
    "for",       "goto",        "gridDim",  "half",     "half2",      "if",
    "ifdef",     "ifndef",      "include",  "inline",   "int",        "int2",
    "int3",      "int4",        "int8_t",   "int16_t",  "int32_t",    "int64_t",
    "long",      "namespace",   "nullptr",  "operator", "pragma",     "reinterpret_cast",
    "restrict",  "return",      "short",    "signed",   "sizeof",     "size_t",
    "static",    "static_cast", "struct",   "switch",   "template",   "this",
    "threadIdx", "true",        "typedef",  "typename", "uint",       "uint2",
    "uint4",     "uint8_t",     "uint16_t", "uint32_t", "uint64_t",   "undef",
    "union",     "unroll",      "unsigned", "using",    "void",       "volatile",
    "warpSize",  "while"};

// After one of these a name is being declared: `float scale(`.
constexpr std::string_view kTypes[] = {
    "auto",   "bool",  "char",  "double",   "double2",  "double4", "float",   "float2",   "float3",
    "float4", "half",  "half2", "int",      "int2",     "int4",    "long",    "short",    "size_t",
    "uint",   "uint2", "uint4", "uint32_t", "uint64_t", "int64_t", "int32_t", "unsigned", "void"};

using Words = std::unordered_set<std::string_view>;

bool starts_number(std::string_view rest) {
  return is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]));
}

/// Bytes of the comment or white space that `rest` starts with; 0: none.
std::size_t skipped_length(std::string_view rest) {
  constexpr std::string_view kBetween = " \t\r\n\f\v\\";
  if (kBetween.find(rest[0]) != std::string_view::npos) {
    return std::min(rest.find_first_not_of(kBetween), rest.size());
  }
  if (rest.starts_with("//")) {
    return std::min(rest.find('\n'), rest.size());
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = rest.find("*/", 2);
    return end == std::string_view::npos ? rest.size() : end + 2;
  }
  return 0;
}

std::size_t number_length(std::string_view rest) {
  std::size_t end = 1;
  while (end < rest.size()) {
    const char last = rest[end - 1];
    const bool exponent = last == 'e' || last == 'E' || last == 'p' || last == 'P';
    const bool sign = (rest[end] == '+' || rest[end] == '-') && exponent;
    if (!is_word(rest[end]) && rest[end] != '.' && rest[end] != '\'' && !sign) {
      break;
    }
    ++end;
  }
  return end;
}

/// The length of a text or a character in quotes.
std::size_t quoted_length(std::string_view rest) {
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\') {
      ++at;
    } else if (rest[at] == rest[0] || rest[at] == '\n') {
      return at + 1;
    }
  }
  return rest.size();
}

/// The length of `@NAME@`; 0: this is no such name.
std::size_t placeholder_length(std::string_view rest) {
  std::size_t end = 1;
  while (end < rest.size() && is_word(rest[end])) {
    ++end;
  }
  return end > 1 && end < rest.size() && rest[end] == '@' ? end + 1 : 0;
}

RawToken next_token(std::string_view rest) {
  if (is_word_start(rest[0])) {
    const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_word);
    return {RawToken::Kind::kWord, rest.substr(0, static_cast<std::size_t>(end - rest.begin()))};
  }
  if (starts_number(rest)) {
    return {RawToken::Kind::kNumber, rest.substr(0, number_length(rest))};
  }
  if (rest[0] == '"' || rest[0] == '\'') {
    return {RawToken::Kind::kText, rest.substr(0, quoted_length(rest))};
  }
  const std::size_t placeholder = rest[0] == '@' ? placeholder_length(rest) : 0;
  return placeholder > 0 ? RawToken{RawToken::Kind::kNumber, rest.substr(0, placeholder)}
                         : RawToken{RawToken::Kind::kSymbol, rest.substr(0, 1)};
}

/// Names that the source gives to something, recognised by the word before them.
Words declared_names(const std::vector<RawToken>& tokens) {
  Words names;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const RawToken& before = tokens[i - 1];
    const bool after_name = before.kind == RawToken::Kind::kWord &&
                            (is_type_word(before.text) || !is_language_word(before.text));
    if (tokens[i].kind == RawToken::Kind::kWord && after_name) {
      names.insert(tokens[i].text);
    }
  }
  return names;
}

std::uint64_t hash_of(std::string_view text) {
  return fast_hash(text.data(), text.size(), 0);
}

}  // namespace

bool is_language_word(std::string_view word) {
  static const Words words(std::begin(kKept), std::end(kKept));
  return word.starts_with("__") || words.contains(word);
}

bool is_type_word(std::string_view word) {
  static const Words words(std::begin(kTypes), std::end(kTypes));
  return words.contains(word);
}

std::vector<RawToken> raw_tokens(std::string_view source) {
  std::vector<RawToken> tokens;
  while (!source.empty()) {
    std::size_t length = skipped_length(source);
    if (length == 0) {
      tokens.push_back(next_token(source));
      length = tokens.back().text.size();
    }
    source.remove_prefix(length);
  }
  return tokens;
}

std::vector<std::uint64_t> normal_tokens(std::string_view source) {
  static const std::uint64_t kName = hash_of("name");
  static const std::uint64_t kNumber = hash_of("0");
  static const std::uint64_t kText = hash_of("\"");
  const std::vector<RawToken> tokens = raw_tokens(source);
  const Words declared = declared_names(tokens);
  std::vector<std::uint64_t> hashes;
  hashes.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const RawToken& token = tokens[i];
    const bool called = i + 1 < tokens.size() && tokens[i + 1].text == "(";
    const bool foreign = called && !declared.contains(token.text);
    switch (token.kind) {
      case RawToken::Kind::kWord:
        hashes.push_back(is_language_word(token.text) || foreign ? hash_of(token.text) : kName);
        break;
      case RawToken::Kind::kNumber:
        hashes.push_back(kNumber);
        break;
      case RawToken::Kind::kText:
        hashes.push_back(kText);
        break;
      case RawToken::Kind::kSymbol:
        hashes.push_back(hash_of(token.text));
        break;
    }
  }
  return hashes;
}

}  // namespace ws
