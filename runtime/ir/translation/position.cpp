#include "runtime/ir/translation/position.h"

#include <algorithm>
#include <charconv>

namespace ws::ir {
namespace {

using Sizes = std::vector<std::int64_t>;

/// The dimensions that have more than one element, from the first on.
std::vector<int> wide_dims(const Sizes& shape) {
  std::vector<int> dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) {
      dims.push_back(static_cast<int>(i));
    }
  }
  return dims;
}

int from_end(int dim, const Sizes& shape) {
  return static_cast<int>(shape.size()) - 1 - dim;
}

}  // namespace

bool is_lane(const Atom& atom) {
  return atom.name.starts_with("lane ");
}

std::int64_t lane_size(const Atom& atom) {
  constexpr std::size_t kWord = 5;  // "lane "
  std::int64_t size = 0;
  std::from_chars(atom.name.data() + kWord, atom.name.data() + atom.name.size(), size);
  return size;
}

std::optional<Position> Position::plus(const Position& other, std::int64_t factor) const {
  Position sum = *this;
  const auto add = [factor](std::int64_t& to, std::int64_t value) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(value, factor, &product) &&
           !__builtin_add_overflow(to, product, &to);
  };
  if (!add(sum.constant, other.constant)) {
    return std::nullopt;
  }
  for (const auto& [atom, coefficient] : other.terms) {
    if (!add(sum.terms[atom], coefficient)) {
      return std::nullopt;
    }
  }
  std::erase_if(sum.terms, [](const auto& term) { return term.second == 0; });
  return sum;
}

std::optional<Position> Position::times(std::int64_t factor) const {
  return Position().plus(*this, factor);
}

bool Position::in_range() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  const auto fits = [](std::int64_t number) { return number >= -kMost && number <= kMost; };
  return fits(constant) &&
         std::ranges::all_of(terms, [&](const auto& term) { return fits(term.second); });
}

std::optional<std::int64_t> Position::number() const {
  return terms.empty() ? std::optional(constant) : std::nullopt;
}

std::optional<Position> reshaped(const Position& position, const Sizes& from, const Sizes& to) {
  const std::vector<int> before = wide_dims(from);
  const std::vector<int> after = wide_dims(to);
  const bool same = std::ranges::equal(before, after, [&](int a, int b) {
    return from.at(static_cast<std::size_t>(a)) == to.at(static_cast<std::size_t>(b));
  });
  Position moved{position.constant, {}};
  for (const auto& [atom, coefficient] : position.terms) {
    Atom here = atom;
    if (is_lane(atom)) {
      const auto at =
          std::ranges::find_if(before, [&](int dim) { return from_end(dim, from) == here.dim; });
      if (!same || at == before.end()) {
        return std::nullopt;
      }
      here.dim = from_end(after[static_cast<std::size_t>(at - before.begin())], to);
    }
    moved.terms[here] += coefficient;
  }
  return moved;
}

Position permuted(const Position& position, const Sizes& dims) {
  Position moved{position.constant, {}};
  for (const auto& [atom, coefficient] : position.terms) {
    Atom here = atom;
    if (is_lane(atom)) {
      const auto source = static_cast<std::int64_t>(dims.size()) - 1 - atom.dim;
      const auto at = std::ranges::find(dims, source);
      here.dim = from_end(static_cast<int>(at - dims.begin()), dims);
    }
    moved.terms[here] += coefficient;
  }
  return moved;
}

std::string to_text(const Position& position) {
  std::string text;
  const auto add = [&text](std::int64_t number, const std::string& rest) {
    text += text.empty() ? (number < 0 ? "-" : "") : (number < 0 ? " - " : " + ");
    const std::string size = std::to_string(number < 0 ? -number : number);
    text += rest.empty() ? size : (size == "1" ? rest : size + "*" + rest);
  };
  for (const auto& [atom, coefficient] : position.terms) {
    add(coefficient, is_lane(atom) ? atom.name + ":" + std::to_string(atom.dim) : atom.name);
  }
  if (position.constant != 0 || text.empty()) {
    add(position.constant, "");
  }
  return text;
}

}  // namespace ws::ir
