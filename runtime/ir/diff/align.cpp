#include "runtime/ir/diff/align.h"

#include <algorithm>
#include <cstdint>

namespace ws::ir {
namespace {

// Cells of the table of scores: 64 MB.
constexpr std::size_t kMaxCells = std::size_t{1} << 24U;
// A pair is worth more than all preferences: there are at most 4096 of each, by the table's size.
constexpr std::uint32_t kPair = 1U << 16U;

class Aligner {
 public:
  Aligner(const std::vector<std::string>& a, const std::vector<std::string>& b,
          const std::vector<std::size_t>& preferred)
      : a_(a),
        b_(b),
        preferred_(preferred),
        a_end_(a.size()),
        b_end_(b.size()) {}

  Result<Pairs> run() {
    while (head_ < std::min(a_end_, b_end_) && surely(head_, head_)) {
      pairs_.emplace_back(head_, head_);
      ++head_;
    }
    while (a_end_ > head_ && b_end_ > head_ && surely(a_end_ - 1, b_end_ - 1)) {
      --a_end_;
      --b_end_;
    }
    const std::size_t rows = a_end_ - head_ + 1;
    columns_ = b_end_ - head_ + 1;
    if (rows > kMaxCells / columns_) {
      return fail(ErrorCode::kUnsupported, "the programs differ in too many lines to be compared",
                  "change one part of a program at a time");
    }
    fill(rows);
    follow(rows);
    for (std::size_t i = a_end_; i < a_.size(); ++i) {
      pairs_.emplace_back(i, b_end_ + (i - a_end_));
    }
    return std::move(pairs_);
  }

 private:
  [[nodiscard]] std::uint32_t worth(std::size_t i, std::size_t j) const {
    return a_[i] != b_[j] ? 0 : kPair + (!preferred_.empty() && preferred_[i] == j ? 1U : 0U);
  }

  // A pair that some best alignment has.
  [[nodiscard]] bool surely(std::size_t i, std::size_t j) const {
    return a_[i] == b_[j] && (preferred_.empty() || preferred_[i] == j);
  }

  // The score of the best alignment of everything after head_ + i and head_ + j.
  std::uint32_t& score(std::size_t i, std::size_t j) { return scores_[i * columns_ + j]; }

  void fill(std::size_t rows) {
    scores_.assign(rows * columns_, 0);
    for (std::size_t i = rows - 1; i-- > 0;) {
      for (std::size_t j = columns_ - 1; j-- > 0;) {
        const std::uint32_t pair = worth(head_ + i, head_ + j);
        score(i, j) = std::max(
            {score(i + 1, j), score(i, j + 1), pair == 0 ? 0 : pair + score(i + 1, j + 1)});
      }
    }
  }

  void follow(std::size_t rows) {
    for (std::size_t i = 0, j = 0; i + 1 < rows && j + 1 < columns_;) {
      const std::uint32_t pair = worth(head_ + i, head_ + j);
      if (pair != 0 && score(i, j) == pair + score(i + 1, j + 1)) {
        pairs_.emplace_back(head_ + i++, head_ + j++);
      } else if (score(i, j) == score(i + 1, j)) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  const std::vector<std::string>& a_;
  const std::vector<std::string>& b_;
  const std::vector<std::size_t>& preferred_;
  std::size_t head_ = 0;
  std::size_t a_end_;
  std::size_t b_end_;
  std::size_t columns_ = 1;
  std::vector<std::uint32_t> scores_;
  Pairs pairs_;
};

}  // namespace

Result<Pairs> align(const std::vector<std::string>& a, const std::vector<std::string>& b,
                    const std::vector<std::size_t>& preferred) {
  return Aligner(a, b, preferred).run();
}

}  // namespace ws::ir
