#include "runtime/ir/translation/rules.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "runtime/ir/translation/left_facts.h"
#include "runtime/ir/translation/line_beside.h"
#include "runtime/ir/translation/places.h"
#include "runtime/kernel/dtype.h"

namespace ws::ir {
namespace {

using Rule = TranslationRule;

constexpr std::array kRules = {
#define WS_TRANSLATION_RULE(identifier, id, what, fix) RuleInfo{id, what, fix},
#include "runtime/ir/translation/rules.def"
#undef WS_TRANSLATION_RULE
};

bool is_shorter(std::string_view type, std::string_view than) {
  const auto a = parse_dtype(type);
  const auto b = parse_dtype(than);
  return a && b && is_float(*a) && is_float(*b) && unit_roundoff(*a) > unit_roundoff(*b);
}

/// Programs with more facts are not compared: each fact is looked for among all others, and what a
/// client sends must not keep the server busy.
constexpr std::size_t kMostFacts = 600;

/// "b * a" for "a * b".
std::string exchanged(const std::string& product) {
  const std::string times = " * ";
  const std::size_t at = product.find(times);
  return product.substr(at + times.size()) + times + product.substr(0, at);
}

/// "f16 to f32": the last word.
std::string_view result_type(std::string_view types) {
  return types.substr(std::min(types.rfind(' ') + 1, types.size()));
}

class Comparison {
 public:
  Comparison(const std::vector<Fact>& own, const std::vector<Fact>& other, bool julia,
             const std::function<std::string(std::uint32_t)>& text)
      : own_(own),
        other_(other),
        julia_(julia),
        text_(text) {}

  Differences run() {
    if (own_.size() > kMostFacts || other_.size() > kMostFacts) {
      return {};
    }
    own_left_ = facts_left(own_, other_);
    other_left_ = facts_left(other_, own_);
    for (const Fact* fact : own_left_) {
      explain(*fact);
    }
    for (const Fact* fact : other_left_) {
      explain_missing(*fact);
    }
    if (found_.rows.empty()) {
      explain_operations();
    }
    std::ranges::sort(found_.rows, {}, [](const Difference& row) {
      return std::tuple(row.line, row.rule, row.other_line);
    });
    const auto same = [](const Difference& a, const Difference& b) {
      return a.rule == b.rule && a.line == b.line;
    };
    found_.rows.erase(std::ranges::unique(found_.rows, same).begin(), found_.rows.end());
    found_.facts = own_left_.size() + other_left_.size();
    return std::move(found_);
  }

 private:
  /// The first fact of a kind that the translation lacks.
  [[nodiscard]] const Fact* lacking(FactKind kind, const std::string* object = nullptr) const {
    const auto at = std::ranges::find_if(other_left_, [&](const Fact* fact) {
      return fact->kind == kind && (object == nullptr || fact->object == *object);
    });
    return at == other_left_.end() ? nullptr : *at;
  }

  [[nodiscard]] bool has_own(FactKind kind) const {
    return std::ranges::any_of(own_left_, [&](const Fact* fact) { return fact->kind == kind; });
  }

  void add(Rule rule, std::uint32_t line, std::uint32_t other_line) {
    found_.rows.push_back({rule, line, other_line});
  }

  void explain(const Fact& fact) {
    switch (fact.kind) {
      case FactKind::kBlock:
        add(Rule::kIndexAxis, fact.line, 0);
        break;
      case FactKind::kRead:
      case FactKind::kWrite:
      case FactKind::kMask:
        explain_place(fact);
        break;
      case FactKind::kLoop:
        if (const Fact* loop = lacking(FactKind::kLoop)) {
          const auto rounds = fact.position->plus(*loop->position, -1);
          const bool fewer = rounds && rounds->terms.empty() && rounds->constant < 0;
          const bool floor = divides(fact.line) || divides(fact.computed);
          add(fewer && floor ? Rule::kLoopFloor : Rule::kLoopShort, fact.line, loop->line);
        }
        break;
      case FactKind::kReduce:
      case FactKind::kFunction:
        explain_function(fact);
        break;
      case FactKind::kProduct:
        explain_product(fact);
        break;
      case FactKind::kFill:
      case FactKind::kCast:
        explain_type(fact);
        break;
      case FactKind::kPermute:
        if (const Fact* permute = lacking(FactKind::kPermute)) {
          add(Rule::kPermuteShift, fact.line, permute->line);
        }
        break;
      case FactKind::kReshape:
        if (const Fact* permute = lacking(FactKind::kPermute)) {
          add(Rule::kReshapeForTranspose, fact.line, permute->line);
        } else if (const Fact* reshape = lacking(FactKind::kReshape)) {
          add(julia_ ? Rule::kBroadcastLeft : Rule::kBroadcastRight, fact.line, reshape->line);
        }
        break;
      case FactKind::kCarried:
      case FactKind::kUnused:
      case FactKind::kOperator:
      case FactKind::kSelect:
        break;
    }
  }

  /// The nearest place that the translation does not reach says what is wrong with this one.
  void explain_place(const Fact& fact) {
    const Fact* nearest = nullptr;
    for (const Fact* fact_of_other : other_left_) {
      const bool fits = fact_of_other->kind == fact.kind && fact_of_other->object == fact.object;
      if (fits && (nearest == nullptr || distance(*fact.position, *fact_of_other->position) <
                                             distance(*fact.position, *nearest->position))) {
        nearest = fact_of_other;
      }
    }
    if (nearest == nullptr) {
      if (const Fact* read = lacking(FactKind::kRead); read && fact.kind == FactKind::kRead) {
        add(Rule::kOtherArray, fact.line, read->line);
      }
      return;
    }
    if (fact.kind == FactKind::kMask) {
      const std::int64_t shift = fact.position->constant - nearest->position->constant;
      if (distance(*fact.position, *nearest->position) == 0) {
        const bool one = shift == 1 || shift == -1;
        add(one ? Rule::kCompareBase : Rule::kIndexPlace, one ? fact.line : fact.computed,
            nearest->line);
      }
    } else if (*fact.position == *nearest->position) {
      add(fact.detail == "none" ? Rule::kPadUndetermined : Rule::kPadIdentity, fact.line,
          nearest->line);
    } else if (!loads_turned(fact, *nearest)) {
      const std::optional<Rule> rule =
          rule_of_place(*fact.position, *nearest->position, fact.kind == FactKind::kWrite);
      if (!rule || (rule == Rule::kIndexAxis && has_own(FactKind::kBlock))) {
        return;  // The line that asks for the block's number is told.
      }
      const bool shifted = rule == Rule::kIndexTileBase || rule == Rule::kIndexDoubleShift;
      add(*rule, shifted ? line_of_shift(fact, *nearest) : fact.line, nearest->line);
    }
  }

  /// One program loads a tile as it lies and permutes it, the other one loads it permuted.
  [[nodiscard]] bool loads_turned(const Fact& fact, const Fact& other) const {
    const bool permutes = has_own(FactKind::kPermute) || lacking(FactKind::kPermute) != nullptr;
    return permutes && without_dims(*fact.position) == without_dims(*other.position);
  }

  /// Where an index was moved: here, where its block or round comes from, or where it was computed.
  [[nodiscard]] std::uint32_t line_of_shift(const Fact& fact, const Fact& wanted) const {
    const auto moves = [this](std::uint32_t line) {
      return text_(line).find_first_of("+-") != std::string::npos;
    };
    if (moves(fact.line)) {
      return fact.line;
    }
    const std::int64_t shift = fact.position->constant - wanted.position->constant;
    std::uint32_t loop = 0;
    for (const auto& [atom, coefficient] : fact.position->terms) {
      const auto origin = fact.origins.find(atom.name);
      if (origin == fact.origins.end() || std::abs(coefficient) != std::abs(shift)) {
        continue;
      }
      if (moves(origin->second)) {
        return origin->second;
      }
      loop = atom.name.starts_with("round ") ? origin->second : loop;
    }
    return loop != 0 ? loop : fact.line;
  }

  [[nodiscard]] bool divides(std::uint32_t line) const {
    constexpr std::array<std::string_view, 4> kWords = {"÷", "fld(", "div(", "//"};
    const std::string text = text_(line);
    return std::ranges::any_of(
        kWords, [&](std::string_view word) { return text.find(word) != std::string::npos; });
  }

  void explain_function(const Fact& fact) {
    const bool reduces = fact.kind == FactKind::kReduce;
    if (const Fact* same = lacking(fact.kind, &fact.object)) {
      add(Rule::kReduceAxis, fact.line, same->line);
    } else if (const Fact* product = lacking(FactKind::kProduct); product && fact.object == "*") {
      add(Rule::kMatmulElementwise, fact.line, product->line);
    } else if (const Fact* turned = lacking(reduces ? FactKind::kFunction : FactKind::kReduce)) {
      add(Rule::kReduceElementwise, fact.line, turned->line);
    } else if (const Fact* function = lacking(fact.kind); function && function->object != "*") {
      add(Rule::kFunction, fact.line, function->line);
    }
  }

  void explain_product(const Fact& fact) {
    const Fact* product = lacking(FactKind::kProduct);
    if (product == nullptr) {
      add(Rule::kMatmulElementwise, fact.line, 0);
    } else if (product->object == exchanged(fact.object)) {
      add(Rule::kProductOrder, fact.line, product->line);
    } else if (product->object == fact.object) {
      const bool narrow = is_shorter(result_type(fact.detail), result_type(product->detail));
      add(narrow ? Rule::kAccNarrow : Rule::kProductType, fact.line, product->line);
    }
  }

  void explain_type(const Fact& fact) {
    const Fact* like = lacking(fact.kind);
    const std::uint32_t other_line = like == nullptr ? 0 : like->line;
    if (fact.kind == FactKind::kCast) {
      add(is_shorter(fact.object, like == nullptr ? "f32" : like->object) ? Rule::kAccNarrow
                                                                          : Rule::kProductType,
          fact.line, other_line);
    } else if (like != nullptr && like->object != fact.object) {
      add(Rule::kInitIdentity, fact.line, other_line);
    } else if (like != nullptr) {
      add(is_shorter(fact.detail, like->detail) ? Rule::kAccNarrow : Rule::kProductType, fact.line,
          other_line);
    }
  }

  /// Something that is gone has no line: the one of what comes next to it is told.
  void explain_missing(const Fact& fact) {
    const bool told = has_own(fact.kind);
    std::optional<Rule> rule;
    if (fact.kind == FactKind::kCarried) {
      rule = Rule::kCarriedDropped;
    } else if (fact.kind == FactKind::kSelect) {
      rule = Rule::kPadCounted;
    } else if (fact.kind == FactKind::kCast && is_shorter("f16", fact.object)) {
      rule = Rule::kAccNarrow;
    } else if (fact.kind == FactKind::kRead) {
      rule = Rule::kOtherArray;
    }
    if (rule && !told) {
      add(*rule, line_of_missing(fact), fact.line);
    }
  }

  [[nodiscard]] std::uint32_t line_of_missing(const Fact& fact) const {
    if (fact.kind == FactKind::kCarried) {
      const auto unused = std::ranges::find_if(
          own_left_, [](const Fact* own) { return own->kind == FactKind::kUnused; });
      if (unused != own_left_.end()) {
        return (*unused)->line;
      }
    }
    return line_beside(fact, own_, other_);
  }

  /// Where no rule is broken, an operation may be missing, or one that the other program has not.
  void explain_operations() {
    for (const Fact* fact : operations_left(own_, other_)) {
      add(Rule::kFunction, fact->line, 0);
    }
    for (const Fact* fact : operations_left(other_, own_)) {
      add(Rule::kFunction, line_of_missing(*fact), fact->line);
    }
  }

  const std::vector<Fact>& own_;
  const std::vector<Fact>& other_;
  const bool julia_;
  const std::function<std::string(std::uint32_t)>& text_;
  std::vector<const Fact*> own_left_;
  std::vector<const Fact*> other_left_;
  Differences found_;
};

}  // namespace

const RuleInfo& info_of(TranslationRule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

Differences compare_facts(const std::vector<Fact>& translation, const std::vector<Fact>& original,
                          bool julia, const std::function<std::string(std::uint32_t)>& text) {
  return Comparison(translation, original, julia, text).run();
}

}  // namespace ws::ir
