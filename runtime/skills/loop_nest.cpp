#include "runtime/skills/loop_nest.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/text.h"

namespace ws {
namespace {

using Tokens = std::vector<std::string>;
using Part = std::span<const std::string>;
using Words = std::set<std::string, std::less<>>;

/// Words with their digits and @, operators of up to three characters; no comments, no directives.
Tokens tokens_of(std::string_view text) {
  constexpr auto kLong = std::to_array<std::string_view>(
      {"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "==",
       "<=",  ">=",  "!=", "&&", "||", "++", "--", "->", "::", "<<", ">>"});
  Tokens tokens;
  bool begins_line = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//") || (begins_line && rest.starts_with("#"))) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else if (is_word(rest[0]) || rest[0] == '@') {
      const auto* const end = std::find_if_not(
          rest.begin(), rest.end(), [](char c) { return is_word(c) || c == '@' || c == '.'; });
      tokens.emplace_back(rest.begin(), end);
      at += tokens.back().size();
      begins_line = false;
    } else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n') {
      begins_line = begins_line || rest[0] == '\n';
      ++at;
    } else {
      const auto* const found =
          std::find_if(kLong.begin(), kLong.end(),
                       [rest](std::string_view symbol) { return rest.starts_with(symbol); });
      tokens.emplace_back(found == kLong.end() ? rest.substr(0, 1) : *found);
      at += tokens.back().size();
      begins_line = false;
    }
  }
  return tokens;
}

bool opens(const std::string& token) {
  return token == "(" || token == "[" || token == "{";
}

bool closes(const std::string& token) {
  return token == ")" || token == "]" || token == "}";
}

/// One past the bracket that closes the one at `at`.
std::size_t past_bracket(Part tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    depth += opens(tokens[at]) ? 1 : (closes(tokens[at]) ? -1 : 0);
    if (depth == 0) {
      return at + 1;
    }
  }
  return at;
}

/// One past the statement that begins at `at`: a block, a loop with its body, or up to its `;`.
std::size_t past_statement(Part tokens, std::size_t at) {
  while (at + 1 < tokens.size() && tokens[at + 1] == "(" &&
         (tokens[at] == "for" || tokens[at] == "while" || tokens[at] == "if")) {
    at = past_bracket(tokens, at + 1);
  }
  if (at < tokens.size() && tokens[at] == "{") {
    return past_bracket(tokens, at);
  }
  while (at < tokens.size() && tokens[at] != ";") {
    at = opens(tokens[at]) ? past_bracket(tokens, at) : at + 1;
  }
  return std::min(at + 1, tokens.size());
}

bool mentions(Part tokens, const Words& words) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const std::string& token) { return words.contains(token); });
}

/// `TARGET[SUBSCRIPT] OP VALUE`
struct Assignment {
  std::string target;
  Part subscript;
  bool combines = false;  ///< The old value is part of the new one.
  Part value;
};

bool is_compound(const std::string& token) {
  return token.size() >= 2 && token.back() == '=' && token != "==" && token != "<=" &&
         token != ">=" && token != "!=";
}

std::optional<Assignment> assignment_in(Part statement) {
  int depth = 0;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    depth += opens(statement[i]) ? 1 : (closes(statement[i]) ? -1 : 0);
    const bool compound = is_compound(statement[i]);
    if (depth != 0 || i == 0 || (statement[i] != "=" && !compound)) {
      continue;
    }
    const Part left = statement.first(i);
    const auto open = std::find(left.begin(), left.end(), "[");
    const auto name = open == left.begin() ? open : open - 1;
    Assignment found{.target = *name,
                     .subscript = left.subspan(static_cast<std::size_t>(open - left.begin())),
                     .combines = compound,
                     .value = statement.subspan(i + 1)};
    found.combines = compound || mentions(found.value, {found.target});
    return found;
  }
  return std::nullopt;
}

/// The assignments of a loop's body, whatever blocks they stand in.
std::vector<Assignment> assignments_in(Part body) {
  std::vector<Assignment> all;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= body.size();) {
    const bool cut = at == body.size() || body[at] == ";" || body[at] == "{" || body[at] == "}";
    if (cut) {
      if (const auto found = assignment_in(body.subspan(from, at - from))) {
        all.push_back(*found);
      }
      from = ++at;
    } else if ((body[at] == "for" || body[at] == "if" || body[at] == "while") &&
               at + 1 < body.size() && body[at + 1] == "(") {
      from = at = past_bracket(body, at + 1);
    } else {
      at = body[at] == "(" || body[at] == "[" ? past_bracket(body, at) : at + 1;
    }
  }
  return all;
}

/// Whether an element is read at a place that changes with `moving`.
bool reads_element(Part value, const Words& moving, const Words& loaded) {
  if (mentions(value, loaded)) {
    return true;
  }
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] == "[" && mentions(value.subspan(i, past_bracket(value, i) - i), moving)) {
      return true;
    }
  }
  return false;
}

bool multiplies(Part value) {
  return std::any_of(value.begin(), value.end(), [](const std::string& token) {
    const std::size_t fma = token.find("fma");
    return token == "*" || (fma != std::string::npos && !token.substr(fma).starts_with("fmax"));
  });
}

struct Found {
  bool sums = false;
  bool products = false;
  bool unclear = false;  ///< Something is combined, and what is read is hidden.
};

/// @param header  Between the loop's parentheses; a `while` has no steps in it.
void look_at(Part header, Part body, Found& found) {
  const std::vector<Assignment> all = assignments_in(body);
  Words counters;
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (header[i] == "=" || header[i] == "++" || header[i] == "--" || is_compound(header[i])) {
      counters.insert(header[i - 1]);
    }
    if (header[i - 1] == "++" || header[i - 1] == "--") {
      counters.insert(header[i]);
    }
  }
  Words moving = counters;
  Words loaded;
  for (std::size_t round = 0; round < 4; ++round) {  // Chains of names are short.
    for (const Assignment& assignment : all) {
      if (reads_element(assignment.value, moving, loaded)) {
        loaded.insert(assignment.target);
      } else if (mentions(assignment.value, moving)) {
        moving.insert(assignment.target);
      }
    }
  }
  for (const Assignment& assignment : all) {
    if (!assignment.combines || mentions(assignment.subscript, counters)) {
      continue;
    }
    Words others = loaded;
    others.erase(assignment.target);
    if (reads_element(assignment.value, moving, others)) {
      found.sums = true;
      found.products = found.products || multiplies(assignment.value);
    } else {
      const bool hides = std::find(assignment.value.begin(), assignment.value.end(), "(") !=
                         assignment.value.end();
      found.unclear = found.unclear || hides || assignment.value.front() == "*";
    }
  }
}

Found loops_of(Part tokens) {
  Found found;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if ((tokens[at] == "for" || tokens[at] == "while") && tokens[at + 1] == "(") {
      const std::size_t body = past_bracket(tokens, at + 1);
      look_at(tokens.subspan(at + 1, body - at - 1),
              tokens.subspan(body, past_statement(tokens, body) - body), found);
    }
    const bool hidden = tokens[at] == "asm" || tokens[at].find("mma") != std::string::npos;
    found.unclear = found.unclear || hidden;
  }
  return found;
}

/// One name with several subscripts.
bool has_neighbours(Part tokens) {
  std::map<std::string, Tokens> seen;
  for (std::size_t at = 1; at < tokens.size(); ++at) {
    if (tokens[at] == "[" && is_word(tokens[at - 1].front())) {
      const Part place = tokens.subspan(at, past_bracket(tokens, at) - at);
      const auto [old, first] =
          seen.try_emplace(tokens[at - 1], Tokens(place.begin(), place.end()));
      if (!first &&
          !std::equal(place.begin(), place.end(), old->second.begin(), old->second.end())) {
        return true;
      }
    }
  }
  return false;
}

std::optional<bool> known_or(bool holds, bool unclear) {
  return holds || !unclear ? std::optional(holds) : std::nullopt;
}

}  // namespace

std::optional<LoopNeed> loop_need(std::string_view word) {
  if (word == "sums") {
    return LoopNeed::kSums;
  }
  if (word == "shares") {
    return LoopNeed::kShares;
  }
  return word == "products" ? std::optional(LoopNeed::kProducts) : std::nullopt;
}

std::optional<bool> has_loop(const Kernel& kernel, LoopNeed need) {
  const Tokens tokens = tokens_of(kernel.macros + "\n" + kernel.source);
  const Found found = loops_of(tokens);
  switch (need) {
    case LoopNeed::kSums:
      return known_or(found.sums, found.unclear);
    case LoopNeed::kShares:
      return known_or(found.sums, found.unclear || has_neighbours(tokens));
    case LoopNeed::kProducts:
      break;
  }
  return known_or(found.products, found.unclear);
}

}  // namespace ws
