// The elements of an array in shared memory, as a symbolic run of a block has them. States of a
// loop's rounds are copies: they share the pages that are the same.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>

#include "runtime/lift/symbolic/terms.h"

namespace ws::lift {

/// One element of shared memory.
struct Cell {
  Ref source;             ///< The value that was written last.
  int written = -1;       ///< In which stretch between barriers of the block ...
  int warp_written = -1;  ///< ... and of the warp.
  int read = -1;          ///< The same of the last read.
  int warp_read = -1;
  int reader = -1;         ///< The thread, or -2: several ...
  int reader_warp = -1;    ///< ... of this warp, or -2: of several.
  bool under_way = false;  ///< A copy that nobody has waited for writes it.
};

/// Cells by their offset in elements.
class Cells {
 public:
  [[nodiscard]] bool empty() const { return pages_.empty(); }

  /// nullptr: it was never used. Valid until the next change.
  [[nodiscard]] const Cell* find(std::int64_t offset) const;
  /// The same, to be changed.
  Cell* edit(std::int64_t offset);
  /// The cell there, to be changed; made where there is none.
  Cell& operator[](std::int64_t offset);

  /// Calls `f(offset, cell)` for each cell, which `f` may change.
  template <typename F>
  void change(F f) {
    for (auto& [number, page] : pages_) {
      each_of(number, own(page), f);
    }
  }

  /// The same, but for cells that nothing has changed since the two were copies of each other.
  template <typename F>
  void change_unlike(const Cells& other, F f) {
    for (auto& [number, page] : pages_) {
      if (!other.has(number, page)) {
        each_of(number, own(page), f);
      }
    }
  }

  /// Whether `f(offset, cell)` holds for each cell that is not known to be as in `other`.
  template <typename F>
  [[nodiscard]] bool agrees(const Cells& other, F f) const {
    bool all = true;
    const auto check = [&](std::int64_t offset, const Cell& cell) { all = all && f(offset, cell); };
    for (const auto& [number, page] : pages_) {
      if (all && !other.has(number, page)) {
        each_of(number, *page, check);
      }
    }
    return all;
  }

 private:
  static constexpr std::int64_t kPage = 256;

  struct Page {
    std::array<Cell, kPage> cells;
    std::bitset<kPage> used;
  };

  using Shared = std::shared_ptr<Page>;

  [[nodiscard]] bool has(std::int64_t number, const Shared& page) const {
    const auto found = pages_.find(number);
    return found != pages_.end() && found->second == page;
  }

  /// The page, for this array alone.
  static Page& own(Shared& page);

  template <typename P, typename F>
  static void each_of(std::int64_t number, P& page, F& f) {
    for (std::size_t i = 0; i < page.cells.size(); ++i) {
      if (page.used[i]) {
        f(number * kPage + static_cast<std::int64_t>(i), page.cells[i]);
      }
    }
  }

  std::map<std::int64_t, Shared> pages_;  // By offset / kPage.
};

}  // namespace ws::lift
