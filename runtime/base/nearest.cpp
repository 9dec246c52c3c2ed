#include "runtime/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace ws {
namespace {

constexpr std::size_t kMaxCompared = 64;  // Longer words are not typing mistakes of a field name.
constexpr std::size_t kMaxListed = 12;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Edits from a to b: insert, delete, replace or swap neighbours (optimal string alignment); upper
/// and lower case as equal.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // Two rows up, for the swaps.
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::move(above);
    above = std::move(row);
  }
  return above.back();
}

std::string list(const std::vector<std::string>& known) {
  std::string text = "known: ";
  for (std::size_t i = 0; i < known.size() && i < kMaxListed; ++i) {
    text += (i == 0 ? "" : ", ") + known[i];
  }
  if (known.size() > kMaxListed) {
    text += " and " + std::to_string(known.size() - kMaxListed) + " more";
  }
  return text;
}

}  // namespace

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) {
    return {};
  }
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(word.size(), 3) / 3 + 1;
  for (const std::string& candidate : known) {
    if (word.size() > kMaxCompared || candidate.size() > kMaxCompared) {
      continue;
    }
    const std::size_t d = distance(word, candidate);
    if (d < best_distance && d < candidate.size()) {
      best = &candidate;
      best_distance = d;
    }
  }
  return best != nullptr ? "did you mean `" + *best + "`?" : list(known);
}

}  // namespace ws
