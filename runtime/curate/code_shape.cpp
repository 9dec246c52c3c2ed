#include "runtime/curate/code_shape.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "runtime/search/tokens.h"

namespace ws {
namespace {

constexpr std::string_view kMultiplying[] = {"matmul", "mm",     "bmm",    "dot",    "mma",
                                             "einsum", "linear", "conv1d", "conv2d", "conv3d"};
constexpr std::string_view kReducing[] = {
    "sum",  "mean",   "max",    "min",  "amax",   "amin",   "prod",    "var",  "std",
    "norm", "argmax", "argmin", "sort", "cumsum", "reduce", "softmax", "topk", "bincount"};
constexpr std::string_view kTypeWords[] = {"int",  "unsigned", "long", "short",
                                           "auto", "size_t",   "const"};

using Tokens = std::vector<RawToken>;

template <typename Table>
bool is_one_of(std::string_view word, const Table& table) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}

bool is_loop(const RawToken& token) {
  return token.kind == RawToken::Kind::kWord && (token.text == "for" || token.text == "while");
}

/// After the bracket that closes the one at `at`; the end where none does.
std::size_t after_closing(const Tokens& tokens, std::size_t at, char open, char close) {
  std::size_t depth = 0;
  for (; at < tokens.size(); ++at) {
    const bool symbol = tokens[at].kind == RawToken::Kind::kSymbol;
    depth += symbol && tokens[at].text[0] == open ? 1U : 0U;
    if (symbol && tokens[at].text[0] == close && --depth == 0) {
      return at + 1;
    }
  }
  return at;
}

bool is_symbol(const Tokens& tokens, std::size_t at, char symbol) {
  return at < tokens.size() && tokens[at].kind == RawToken::Kind::kSymbol &&
         tokens[at].text[0] == symbol;
}

/// After the statement that begins with a loop's header at `at`.
std::size_t after_statement(const Tokens& tokens, std::size_t at) {
  while (at < tokens.size() && (is_loop(tokens[at]) || tokens[at].text == "if")) {
    at = is_symbol(tokens, at + 1, '(') ? after_closing(tokens, at + 1, '(', ')') : at + 1;
  }
  if (is_symbol(tokens, at, '{')) {
    return after_closing(tokens, at, '{', '}');
  }
  while (at < tokens.size() && !is_symbol(tokens, at, ';')) {
    ++at;
  }
  return at + 1;
}

/// Some name besides the loop's own variable, or a parameter, says how long it runs.
bool has_open_bound(const Tokens& tokens, std::size_t at) {
  const std::size_t end = after_closing(tokens, at + 1, '(', ')');
  std::set<std::string_view> names;
  for (++at; at < end; ++at) {
    if (tokens[at].text.starts_with('@')) {
      return true;
    }
    if (tokens[at].kind == RawToken::Kind::kWord && !is_one_of(tokens[at].text, kTypeWords)) {
      names.insert(tokens[at].text);
    }
  }
  return names.size() > 1;
}

bool is_talk(std::string_view word) {
  return word.starts_with("__syncthreads") || word.starts_with("__shfl") ||
         word.starts_with("__reduce") || word.starts_with("atomic");
}

}  // namespace

CodeShape shape_of_kernel(std::string_view source) {
  const Tokens tokens = raw_tokens(source);
  CodeShape shape;
  std::size_t outer_end = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    shape.talks =
        shape.talks || (tokens[at].kind == RawToken::Kind::kWord && is_talk(tokens[at].text));
    if (at >= outer_end && is_loop(tokens[at]) && has_open_bound(tokens, at)) {
      ++shape.passes;
      outer_end = after_statement(tokens, at);
    }
  }
  return shape;
}

CodeShape shape_of_program(std::string_view source) {
  CodeShape shape;
  for (const RawToken& token : raw_tokens(source)) {
    const bool word = token.kind == RawToken::Kind::kWord;
    const bool product = word ? is_one_of(token.text, kMultiplying) : token.text == "@";
    shape.multiplies = shape.multiplies || product;
    shape.passes += product || (word && is_one_of(token.text, kReducing)) ? 1U : 0U;
  }
  return shape;
}

}  // namespace ws
