// Rules of a transfer, and the marks that tie statements to regions of a CUDA source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

enum class Rule : std::uint8_t {
#define WS_IR_RULE(id, word, meaning) id,
#include "runtime/ir/diff/rules.def"
#undef WS_IR_RULE
};

/// "R3".
std::string_view word_of(Rule rule);
/// "the computation on values".
std::string_view meaning_of(Rule rule);

/// A set of rules.
class Rules {
 public:
  Rules() = default;

  Rules(std::initializer_list<Rule> rules) {
    for (const Rule rule : rules) {
      add(rule);
    }
  }

  void add(Rule rule) { bits_ |= 1U << static_cast<unsigned>(rule); }

  void add(const Rules& other) { bits_ |= other.bits_; }

  [[nodiscard]] Rules without(Rule rule) const {
    Rules rest = *this;
    rest.bits_ &= ~(1U << static_cast<unsigned>(rule));
    return rest;
  }

  [[nodiscard]] bool has(Rule rule) const {
    return (bits_ >> static_cast<unsigned>(rule) & 1U) != 0;
  }

  /// In order.
  [[nodiscard]] std::vector<Rule> list() const;

  friend bool operator==(const Rules&, const Rules&) = default;

 private:
  unsigned bits_ = 0;
};

/// A comment `# @ flash.cu:120-134 R7`: lines of a CUDA source, and the rules said to hold there.
struct Mark {
  std::string file;
  std::uint32_t first = 0;  ///< Lines from 1; both ends belong to it.
  std::uint32_t last = 0;
  Rules rules;

  /// "flash.cu:120-134": what names its region.
  [[nodiscard]] std::string region() const;
};

/// The mark in a statement's comment; nothing when the comment is not `# @ ...`.
/// @errors kInvalidArgument: it begins like a mark and is not one; `place` is in the message.
Result<std::optional<Mark>> parse_mark(std::string_view comment, SourcePlace place);

}  // namespace ws::ir
