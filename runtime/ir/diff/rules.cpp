#include "runtime/ir/diff/rules.h"

#include <array>
#include <charconv>

namespace ws::ir {
namespace {

struct RuleRow {
  std::string_view word;
  std::string_view meaning;
};

constexpr std::array kRules = {
#define WS_IR_RULE(id, word, meaning) RuleRow{word, meaning},
#include "runtime/ir/diff/rules.def"
#undef WS_IR_RULE
};

constexpr std::string_view kMarkStart = "# @";

// The next word of `text`, which loses it; empty at the end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint32_t> line_number(std::string_view text) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number > 0 ? std::optional(number) : std::nullopt;
}

std::optional<Rule> rule_named(std::string_view word) {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (kRules.at(i).word == word) {
      return static_cast<Rule>(i);
    }
  }
  return std::nullopt;
}

// "flash.cu:120-134" or "flash.cu:120".
std::optional<Mark> parse_lines(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return std::nullopt;
  }
  const std::string_view lines = text.substr(colon + 1);
  const std::string_view from = lines.substr(0, lines.find('-'));
  const auto first = line_number(from);
  const auto last =
      from.size() == lines.size() ? first : line_number(lines.substr(from.size() + 1));
  if (!first || !last || *last < *first) {
    return std::nullopt;
  }
  return Mark{std::string(text.substr(0, colon)), *first, *last, {}};
}

}  // namespace

std::string_view word_of(Rule rule) {
  return kRules.at(static_cast<std::size_t>(rule)).word;
}

std::string_view meaning_of(Rule rule) {
  return kRules.at(static_cast<std::size_t>(rule)).meaning;
}

std::vector<Rule> Rules::list() const {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (has(static_cast<Rule>(i))) {
      rules.push_back(static_cast<Rule>(i));
    }
  }
  return rules;
}

std::string Mark::region() const {
  return file + ":" + std::to_string(first) + "-" + std::to_string(last);
}

Result<std::optional<Mark>> parse_mark(std::string_view comment, SourcePlace place) {
  if (comment.substr(0, kMarkStart.size()) != kMarkStart) {
    return std::optional<Mark>();
  }
  std::string_view rest = comment.substr(kMarkStart.size());
  std::optional<Mark> mark = parse_lines(take_word(rest));
  for (std::string_view word = take_word(rest); mark && !word.empty(); word = take_word(rest)) {
    const std::optional<Rule> rule = rule_named(word);
    if (rule) {
      mark->rules.add(*rule);
    } else {
      mark.reset();
    }
  }
  if (!mark) {
    return fail(ErrorCode::kInvalidArgument,
                to_text(place) + ": malformed source mark `" + std::string(comment) + "`",
                "write `# @ FILE:FIRST-LAST`, and rules R1 to R7 after it");
  }
  return mark;
}

}  // namespace ws::ir
