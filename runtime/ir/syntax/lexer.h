// Text to tokens, with Python's rules for lines and indentation.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/ir/syntax/token.h"

namespace ws::ir {

/// Always ends with kEnd, and gives as many kDedent as kIndent. Errors go to `diagnostics`: a text
/// that is too long or not UTF-8, a character outside the language, a malformed number or string, a
/// tab in an indentation, an indentation that matches no open block. Tokens point into `text`.
std::vector<Token> lex(std::string_view text, Diagnostics& diagnostics);

}  // namespace ws::ir
