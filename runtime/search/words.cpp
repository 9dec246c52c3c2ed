#include "runtime/search/words.h"

#include <algorithm>
#include <unordered_set>

#include "runtime/base/text.h"
#include "runtime/search/tokens.h"

namespace ws {
namespace {

constexpr std::size_t kMaxWord = 40;

bool is_letter_or_digit(char c) {
  return (is_word(c) && c != '_') || static_cast<unsigned char>(c) >= 0x80;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// Collects words in order, each once.
class Collector {
 public:
  explicit Collector(std::size_t most)
      : most_(most) {}

  void add_text(std::string_view text) {
    while (!text.empty()) {
      const auto* const begin = std::find_if(text.begin(), text.end(), is_letter_or_digit);
      const auto* const end = std::find_if_not(begin, text.end(), is_letter_or_digit);
      const std::string_view run(begin, static_cast<std::size_t>(end - begin));
      add(run);
      add_humps(run);
      text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    }
  }

  std::vector<std::string> take() { return std::move(words_); }

 private:
  /// The parts of `tmaLoad`; nothing more of a word without them.
  void add_humps(std::string_view run) {
    std::size_t from = 0;
    for (std::size_t at = 1; at <= run.size(); ++at) {
      const bool hump = at < run.size() && is_upper(run[at]) && !is_upper(run[at - 1]);
      if (hump || (at == run.size() && from > 0)) {
        add(run.substr(from, at - from));
        from = at;
      }
    }
  }

  void add(std::string_view run) {
    std::string word(run.substr(0, kMaxWord));
    for (char& c : word) {
      c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (!word.empty() && words_.size() < most_ && seen_.insert(word).second) {
      words_.push_back(std::move(word));
    }
  }

  std::size_t most_;
  std::vector<std::string> words_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::vector<std::string> words_of(std::string_view text, std::size_t most) {
  Collector collector(most);
  collector.add_text(text);
  return collector.take();
}

std::vector<std::string> source_words(std::string_view source, std::size_t most) {
  Collector collector(most);
  for (const RawToken& token : raw_tokens(source)) {
    if (token.kind == RawToken::Kind::kWord) {
      collector.add_text(token.text);
    }
  }
  return collector.take();
}

}  // namespace ws
