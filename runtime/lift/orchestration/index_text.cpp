#include "runtime/lift/orchestration/index_text.h"

#include <optional>
#include <string>

#include "runtime/base/text.h"

namespace ws::lift {
namespace {

constexpr int kMaxNesting = 60;

/// Reads one expression; what it cannot read makes the whole text a symbol.
class IndexReader {
 public:
  IndexReader(std::string_view text, Symbols& symbols)
      : text_(text),
        symbols_(symbols) {}

  std::optional<Poly> whole() {
    std::optional<Poly> made = sum();
    blanks();
    return at_ == text_.size() ? made : std::nullopt;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }

  bool take(std::string_view word) {
    blanks();
    if (!text_.substr(at_).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  std::optional<Poly> sum() {
    std::optional<Poly> made = product();
    while (made) {
      const bool minus = take("-");
      if (!minus && !take("+")) {
        break;
      }
      const std::optional<Poly> next = product();
      made = next ? std::optional(made->plus(*next, minus ? -1 : 1)) : std::nullopt;
    }
    return made;
  }

  std::optional<Poly> product() {
    blanks();
    const std::size_t start = at_;
    std::optional<Poly> made = factor();
    while (made) {
      const bool divides = take("//");
      const bool remains = !divides && take("%");
      if (!divides && !remains && !take("*")) {
        break;
      }
      const std::optional<Poly> next = factor();
      if (!next) {
        return std::nullopt;
      }
      if (!divides && !remains) {
        made = made->times(*next);
        continue;
      }
      const std::optional<std::int64_t> by = next->number();
      const std::optional<Poly> exact =
          divides && by.value_or(0) > 0 ? made->exact_quotient(*by) : std::nullopt;
      made = exact ? *exact : Poly::of(symbols_.intern(bracketed(start)));
    }
    return made;
  }

  std::optional<Poly> factor() {
    blanks();
    if (at_ == text_.size() || ++depth_ > kMaxNesting) {
      return std::nullopt;
    }
    std::optional<Poly> made;
    if (take("(")) {
      made = sum();
      made = made && take(")") ? made : std::nullopt;
    } else if (take("-")) {
      made = factor();
      made = made ? std::optional(Poly(0).plus(*made, -1)) : std::nullopt;
    } else if (is_digit(text_[at_])) {
      made = number();
    } else if (is_word_start(text_[at_])) {
      made = name();
    }
    --depth_;
    return made;
  }

  std::optional<Poly> number() {
    constexpr std::size_t kMostDigits = 15;
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) {
      ++at_;
    }
    const std::string digits(text_.substr(start, at_ - start));
    return digits.size() > kMostDigits ? std::nullopt : std::optional(Poly(std::stoll(digits)));
  }

  /// `blockIdx.x`, `s[i + 1]`, `div_trunc(i, 3)`.
  std::optional<Poly> name() {
    const std::size_t start = at_;
    int open = 0;
    while (at_ < text_.size() && (open > 0 || is_word(text_[at_]) || text_[at_] == '.' ||
                                  text_[at_] == '[' || text_[at_] == '(')) {
      open += text_[at_] == '[' || text_[at_] == '('   ? 1
              : text_[at_] == ']' || text_[at_] == ')' ? -1
                                                       : 0;
      ++at_;
    }
    const std::string word(text_.substr(start, at_ - start));
    const bool operation = word == "and" || word == "or" || word == "not" || word == "if";
    return open != 0 || operation ? std::nullopt : std::optional(Poly::of(symbols_.intern(word)));
  }

  [[nodiscard]] std::string bracketed(std::size_t start) const {
    return "(" + std::string(trimmed(text_.substr(start, at_ - start), " ")) + ")";
  }

  std::string_view text_;
  Symbols& symbols_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Poly index_poly(std::string_view text, Symbols& symbols) {
  const std::optional<Poly> made = IndexReader(text, symbols).whole();
  return made ? *made : Poly::of(symbols.intern("(" + std::string(text) + ")"));
}

std::pair<Poly, Poly> split_multiple(const Poly& poly, std::int64_t divisor) {
  Poly quotient;
  Poly rest;
  for (const auto& [monomial, lanes] : poly.terms()) {
    if (monomial.empty() && lanes.size() == 1 && lanes.front() >= 0) {
      quotient = quotient.plus(Poly(lanes.front() / divisor));
      rest = rest.plus(Poly(lanes.front() % divisor));
      continue;
    }
    Poly term(lanes);
    for (const SymbolId symbol : monomial) {
      term = term.times(Poly::of(symbol));
    }
    const std::optional<Poly> exact = term.exact_quotient(divisor);
    (exact ? quotient : rest) = (exact ? quotient.plus(*exact) : rest.plus(term));
  }
  return {quotient, rest};
}

}  // namespace ws::lift
