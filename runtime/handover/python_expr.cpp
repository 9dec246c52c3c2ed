#include "runtime/handover/python_expr.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/handover/cpp_expr.h"
#include "runtime/kernel/expr/evaluate.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/expr/expr_lexer.h"

namespace ws {
namespace {

constexpr std::array<std::string_view, 31> kPythonWords = {
    "False", "None",   "True",   "as",       "assert", "async",  "await",    "break",
    "class", "def",    "del",    "continue", "elif",   "except", "finally",  "for",
    "from",  "global", "import", "in",       "is",     "lambda", "nonlocal", "pass",
    "raise", "return", "try",    "while",    "with",   "yield",  "range"};

bool is_function(std::string_view word) {
  const auto functions = expr_functions();
  return std::ranges::any_of(functions, [word](const ExprFunction& f) { return f.name == word; });
}

std::string python_token(const ExprToken& token) {
  if (token.kind == ExprToken::Kind::kNumber) {
    return std::to_string(token.value);
  }
  if (token.kind == ExprToken::Kind::kWord && is_function(token.text)) {
    return "handover_" + std::string(token.text);
  }
  const bool name = token.kind == ExprToken::Kind::kWord && !is_reserved_word(token.text);
  return name ? cpp_variable(std::string(token.text)) : std::string(token.text);
}

}  // namespace

Result<std::string> python_expr(const std::string& text) {
  if (const Result<Expr> parsed = parse_expr(text); !parsed) {
    return fail(parsed.error());
  }
  ExprLexer lexer(text);
  std::string made;
  bool called = false;  // The token before is a function.
  while (true) {
    WS_TRY(const ExprToken token, lexer.next());
    if (token.kind == ExprToken::Kind::kEnd) {
      return made;
    }
    const bool call = token.text == "(" && called;
    const bool tight =
        made.empty() || made.ends_with('(') || call || token.text == ")" || token.text == ",";
    called = token.kind == ExprToken::Kind::kWord && is_function(token.text);
    made += std::string(tight ? "" : " ") + python_token(token);
  }
}

Result<std::string> python_tuple(const std::vector<std::string>& texts, const std::string& path) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<std::string> one = python_expr(texts[i]);
    if (!one) {
      return bad(item(path, i), one.error().message);
    }
    list += (i == 0 ? "" : " ") + *one + ",";
  }
  return "(" + list + ")";
}

std::string python_name(const std::string& name) {
  return std::ranges::find(kPythonWords, name) == kPythonWords.end() ? name : name + "_";
}

}  // namespace ws
