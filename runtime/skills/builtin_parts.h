// Private to the built-in passes: one function each, and the edits that they are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"

namespace ws::builtin {

/// All @errors kInvalidArgument: no place for it. They return what propose_edits does.
Result<nlohmann::json> introduce_parameters(const Kernel& kernel);
Result<nlohmann::json> unroll(const Kernel& kernel);
Result<nlohmann::json> block_swizzle(const Kernel& kernel);
Result<nlohmann::json> pad_shared(const Kernel& kernel);

/// {"region", "op": "replace", "from", "old", "text"}. @param line  From 1.
nlohmann::json replace_line(const char* region, std::size_t line, const std::string& old,
                            const std::string& text);
/// {"region": "source", "op": "insert", "from", "text"}: goes before `line`.
nlohmann::json insert_before(std::size_t line, const std::string& text);

/// Where `word` stands as a whole word in `text` from `from` on; npos: nowhere.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

/// Every whole word `word` becomes `with`.
std::string replace_words(std::string text, std::string_view word, const std::string& with);

/// A decimal number without a suffix.
std::optional<std::int64_t> plain_number(std::string_view text);

/// The part of a line before a // comment.
std::string_view code_of(std::string_view line);

/// Without blanks at both ends.
std::string_view stripped(std::string_view text);

}  // namespace ws::builtin
