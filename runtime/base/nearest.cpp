#include "runtime/base/nearest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace ws {
namespace {

constexpr std::size_t kMaxCompared = 64;  // Longer words are not typing mistakes of a field name.
constexpr std::size_t kMaxListed = 40;

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

/// Words that clients use for fields which have another name here.
struct OtherWord {
  std::string_view said;
  std::string_view meant;
};

constexpr std::array kOtherWords = {
    OtherWord{"old_string", "old"},
    OtherWord{"new_string", "text"},
    OtherWord{"old_text", "old"},
    OtherWord{"new_text", "text"},
    OtherWord{"new", "text"},
    OtherWord{"content", "text"},
    OtherWord{"start", "from"},
    OtherWord{"start_line", "from"},
    OtherWord{"line", "from"},
    OtherWord{"end", "to"},
    OtherWord{"end_line", "to"},
    OtherWord{"code", "source"},
    OtherWord{"kernel_source", "source"},
    OtherWord{"function", "entry"},
    OtherWord{"kernel_name", "entry"},
    OtherWord{"arguments", "args"},
    OtherWord{"inputs", "args"},
    OtherWord{"outputs", "args"},
    OtherWord{"gridDim", "grid"},
    OtherWord{"grid_size", "grid"},
    OtherWord{"blockDim", "block"},
    OtherWord{"block_size", "block"},
    OtherWord{"shared_memory", "shared_bytes"},
    OtherWord{"smem", "shared_bytes"},
    OtherWord{"dtype", "type"},
    OtherWord{"direction", "role"},
    OtherWord{"sizes", "dims"},
    OtherWord{"dimensions", "dims"},
    OtherWord{"timeout", "wait_ms"},
    OtherWord{"timeout_ms", "wait_ms"},
    OtherWord{"id", "kernel_id"},
    OtherWord{"rtol", "tolerance"},
    OtherWord{"atol", "tolerance"},
    OtherWord{"size", "shape"},
};

const std::string* meant_by(std::string_view word, const std::vector<std::string>& known) {
  for (const OtherWord& row : kOtherWords) {
    const auto meant = std::find(known.begin(), known.end(), row.meant);
    if (row.said == word && meant != known.end()) {
      return &*meant;
    }
  }
  return nullptr;
}

/// The parts of a text between spaces and signs, in lower case.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      words.emplace_back();
    } else {
      words.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  std::erase(words, std::string());
  return words;
}

/// How far a known name is from what was said: fewer shared words, then more edits.
std::pair<std::size_t, std::size_t> farness(const std::vector<std::string>& said,
                                            std::string_view word, const std::string& name) {
  std::size_t shared = 0;
  for (const std::string& part : words_of(name)) {
    shared += std::find(said.begin(), said.end(), part) == said.end() ? 0U : 1U;
  }
  const bool compared = word.size() <= kMaxCompared && name.size() <= kMaxCompared;
  return {kMaxCompared - std::min(shared, kMaxCompared),
          compared ? distance(word, name) : kMaxCompared};
}

/// All of them, those with a word of what was said first; of a long list the nearest.
std::string list(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string> said = words_of(word);
  const bool cut = known.size() > kMaxListed;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, const std::string*>> ranked;
  for (const std::string& name : known) {
    const auto far = farness(said, word, name);
    ranked.emplace_back(std::pair(far.first, cut ? far.second : 0), &name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = cut ? "the nearest: " : "known: ";
  for (std::size_t i = 0; i < ranked.size() && i < kMaxListed; ++i) {
    text += (i == 0 ? "" : ", ") + *ranked[i].second;
  }
  return cut ? text + "; there are " + std::to_string(known.size()) : text;
}

}  // namespace

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) {
    return {};
  }
  const std::string* best = meant_by(word, known);
  if (best != nullptr) {
    return "did you mean `" + *best + "`?";
  }
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
  return best != nullptr ? "did you mean `" + *best + "`?" : list(word, known);
}

}  // namespace ws
