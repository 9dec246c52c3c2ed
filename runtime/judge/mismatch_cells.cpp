#include "runtime/judge/mismatch_cells.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/judge/mismatch_map.h"

namespace ws {
namespace {

constexpr std::int64_t kReadOfEach = 256;
constexpr std::int64_t kReadBeyond = std::int64_t{1} << 20U;
constexpr int kHighest = 8;

struct Cell {
  std::int64_t count = 0;  ///< Mismatches in it.
  double largest = 0;
  bool unsized = false;
};

/// The cells of an output, filled by its mismatches in order.
class CellGrid {
 public:
  explicit CellGrid(const MismatchMap& map)
      : map_(map),
        height_(std::min(map.rows(), kMostCells)),
        width_(std::min(map.columns(), kMostCells)),
        step_(std::max<std::int64_t>(1, map.count() / kReadBeyond)),
        cells_(static_cast<std::size_t>(height_ * width_)) {
    std::int64_t element = 0;
    for (std::int64_t row = 0; row < map.rows(); ++row) {
      const std::int64_t line = row * height_ / map.rows() * width_;
      for (std::int64_t column = 0; column < map.columns(); ++column, ++element) {
        if (map.wrong(element)) {
          add(cells_[static_cast<std::size_t>(line + column * width_ / map.columns())], element);
        }
      }
    }
  }

  [[nodiscard]] double largest() const {
    double largest = 0;
    for (const Cell& cell : cells_) {
      largest = std::max(largest, cell.largest);
    }
    return largest;
  }

  [[nodiscard]] std::vector<std::string> levels() const {
    const double most = largest();
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      if (at % static_cast<std::size_t>(width_) == 0) {
        lines.emplace_back();
      }
      lines.back().push_back(level(cells_[at], most));
    }
    return lines;
  }

 private:
  void add(Cell& cell, std::int64_t element) {
    if (cell.count++ >= kReadOfEach && seen_++ % step_ != 0) {
      return;
    }
    const double error = std::abs(map_.got(element) - map_.want(element));
    if (std::isfinite(error) && !map_.mostly_unwritten()) {
      cell.largest = std::max(cell.largest, error);
    } else {
      cell.unsized = true;
    }
  }

  static char level(const Cell& cell, double most) {
    if (cell.count == 0) {
      return '0';
    }
    if (cell.unsized) {
      return '9';
    }
    // Four to the power of how many steps it is below the largest.
    const double below = cell.largest > 0 ? std::log2(most / cell.largest) / 2 : kHighest;
    const int steps = std::min(kHighest - 1, static_cast<int>(below));
    return static_cast<char>('0' + kHighest - steps);
  }

  const MismatchMap& map_;
  const std::int64_t height_;
  const std::int64_t width_;
  const std::int64_t step_;
  std::int64_t seen_ = 0;
  std::vector<Cell> cells_;
};

/// First and last of each run of bad lines.
std::vector<std::pair<std::int64_t, std::int64_t>> runs_of(const std::vector<bool>& bad) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::size_t at = 0; at < bad.size(); ++at) {
    if (!bad[at]) {
      continue;
    }
    const auto line = static_cast<std::int64_t>(at);
    if (!runs.empty() && runs.back().second == line - 1) {
      runs.back().second = line;
    } else {
      runs.emplace_back(line, line);
    }
  }
  return runs;
}

std::vector<Box> outline_of(const MismatchMap& map) {
  if (map.fills_a_box()) {
    return {map.box()};
  }
  const std::vector<bool> rows = bad_lines(map.by_row(), map.columns());
  const std::vector<bool> columns = bad_lines(map.by_column(), map.rows());
  const auto bad_rows = runs_of(rows);
  const auto bad_columns = runs_of(columns);
  const std::int64_t held = held_by(rows, map.by_row()) + held_by(columns, map.by_column());
  if (20 * held < 19 * map.count() || bad_rows.size() + bad_columns.size() > kMostOutlines) {
    return {};
  }
  std::vector<Box> boxes;
  for (const auto& [first, last] : bad_rows) {
    boxes.push_back({first, last, 0, map.columns() - 1});
  }
  for (const auto& [first, last] : bad_columns) {
    boxes.push_back({0, map.rows() - 1, first, last});
  }
  const bool whole = std::any_of(boxes.begin(), boxes.end(),
                                 [&](const Box& box) { return box.area() == map.elements(); });
  return whole ? std::vector<Box>() : boxes;
}

}  // namespace

MismatchCells mismatch_cells(const BufferSpec& spec, std::span<const std::byte> got,
                             std::span<const std::byte> want, const Comparison& result) {
  const std::vector<std::string> unnamed;
  const MismatchMap map(spec, got, want, result, unnamed);
  const CellGrid grid(map);
  return {.shape = spec.shape,
          .rows = map.rows(),
          .columns = map.columns(),
          .levels = grid.levels(),
          .largest = grid.largest(),
          .outline = outline_of(map)};
}

}  // namespace ws
