#include "runtime/skills/builtins.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/base/text.h"
#include "runtime/skills/builtin_parts.h"

namespace ws {
namespace {

struct Builtin {
  const char* name;
  Result<nlohmann::json> (*propose)(const Kernel&);
};

/// The one list.
constexpr std::array kBuiltins = {Builtin{"introduce_parameters", &builtin::introduce_parameters},
                                  Builtin{"unroll", &builtin::unroll},
                                  Builtin{"block_swizzle", &builtin::block_swizzle},
                                  Builtin{"pad_shared", &builtin::pad_shared}};

}  // namespace

std::vector<std::string> builtin_passes() {
  std::vector<std::string> names;
  for (const Builtin& row : kBuiltins) {
    names.emplace_back(row.name);
  }
  return names;
}

Result<nlohmann::json> propose_edits(const std::string& name, const Kernel& kernel) {
  for (const Builtin& row : kBuiltins) {
    if (row.name == name) {
      return row.propose(kernel);
    }
  }
  return fail(ErrorCode::kInvalidArgument, "no built-in pass `" + name + "`",
              suggest(name, builtin_passes()));
}

namespace builtin {

nlohmann::json replace_line(const char* region, std::size_t line, const std::string& old,
                            const std::string& text) {
  return {{"region", region}, {"op", "replace"}, {"from", line}, {"old", old}, {"text", text}};
}

nlohmann::json insert_before(std::size_t line, const std::string& text) {
  return {{"region", "source"}, {"op", "insert"}, {"from", line}, {"text", text}};
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::string replace_words(std::string text, std::string_view word, const std::string& with) {
  for (std::size_t at = find_word(text, word); at != std::string::npos;
       at = find_word(text, word, at + with.size())) {
    text.replace(at, word.size(), with);
  }
  return text;
}

std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::string_view code_of(std::string_view line) {
  return line.substr(0, line.find("//"));
}

std::string_view stripped(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t");
  return end == std::string_view::npos ? std::string_view() : text.substr(from, end + 1 - from);
}

}  // namespace builtin
}  // namespace ws
