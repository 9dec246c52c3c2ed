// The last accesses to each word of a stretch of memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device/cpu/races/known_events.h"

namespace ws::cpu {

struct WordHistory {
  Event write;                 ///< The last one that was not strong, or so for its block only,
  Event strong_write;          ///< the last strong one since,
  Event earlier_strong_write;  ///< and one before it that its thread does not know of.
  std::array<Event, 3> reads;  ///< By threads that do not know of each other's, since the write.
  bool written = false;        ///< At any time, whatever was forgotten since.
};

class AccessHistory {
 public:
  AccessHistory(std::uint64_t low, std::uint64_t bytes)
      : low_(low),
        bytes_(bytes),
        pages_((bytes + kPageBytes - 1) / kPageBytes) {}

  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const {
    return address >= low_ && address - low_ < bytes_ && bytes <= bytes_ - (address - low_);
  }

  [[nodiscard]] std::uint64_t low() const { return low_; }

  /// Calls `visit(WordHistory&)` for each word, or each byte where parts of words are used, of
  /// memory that it holds.
  template <typename Visit>
  void visit(std::uint64_t address, std::uint64_t bytes, Visit visit) {
    const bool whole = address % kWordBytes == 0 && bytes % kWordBytes == 0;
    for (std::uint64_t at = address - low_; at < address - low_ + bytes;) {
      Page& page = page_of(at / kPageBytes);
      if (!whole && !page.bytewise) {
        split(page);
        used_ += kWordBytes - 1;
      }
      visit(page.words.at(at % kPageBytes / page.step()));
      at += page.step();
    }
  }

  /// Forgets all accesses, but not what was written.
  void forget();

  /// Forgets everything.
  void clear();

  /// Pages that take memory; one of bytes counts as four.
  [[nodiscard]] std::size_t pages() const { return used_; }

 private:
  static constexpr std::uint64_t kPageBytes = 1024;
  static constexpr std::uint64_t kWordBytes = 4;

  struct Page {
    std::vector<WordHistory> words;
    bool bytewise = false;

    [[nodiscard]] std::uint64_t step() const { return bytewise ? 1 : kWordBytes; }
  };

  Page& page_of(std::uint64_t number);
  static void split(Page& page);

  std::uint64_t low_;
  std::uint64_t bytes_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t used_ = 0;
};

}  // namespace ws::cpu
