// Tiles from threads: which thread has which element, and how a value depends on row and column.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/symbolic/sink.h"

namespace ws::lift {

/// The elements of a tile, row by row, each as what a thread has.
struct Tile {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::vector<Ref> points;

  [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t col) const {
    return static_cast<std::size_t>(row * cols + col);
  }
};

/// value = first + by_row * row + by_col * (col // group) in every element.
struct Fit {
  std::int64_t first = 0;
  std::int64_t by_row = 0;
  std::int64_t by_col = 0;
  std::int64_t group = 1;
};

/// Where a tile lies in a tensor: in each dimension the first index, and which dimensions are its
/// rows and columns.
struct Spot {
  std::vector<Poly> first;
  std::size_t row_dim = kNoDim;
  std::size_t col_dim = kNoDim;

  static constexpr std::size_t kNoDim = static_cast<std::size_t>(-1);
};

/// A variable of the threads as a tile: the place of each slot in each thread.
struct Layout {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  /// By slot and thread: row * cols + column; -1: not in the tile.
  std::vector<std::vector<std::int64_t>> places;
};

/// Through choices and conversions to the load that a copy is made of; kNone: it is no copy.
TermId copied_load(const Terms& terms, TermId value);

class Tiles {
 public:
  Tiles(Terms& terms, const LaunchInput& input)
      : terms_(terms),
        input_(input) {}

  /// nothing when no such numbers exist.
  static std::optional<Fit> fit(const Tile& tile, const std::vector<std::int64_t>& values);

  /// An offset into a tensor, in elements, as an index in each dimension; nothing when the tensor's
  /// sizes do not tell.
  [[nodiscard]] std::optional<std::vector<Poly>> coordinates(const TensorInput& tensor,
                                                             const Poly& offset) const;

  /// The tensor as rows of its last dimension. Nothing where it is one already.
  static std::optional<TensorInput> as_rows(const TensorInput& tensor);

  /// The dimension that a condition says an index is within, if it says nothing else.
  [[nodiscard]] std::optional<std::size_t> edge_of(TermId mask, const std::vector<Poly>& index,
                                                   const TensorInput& tensor) const;

  /// The tile that accesses at `offsets` make, one for each of `refs`, which become its points.
  /// @errors kUnsupported: they are no dense rectangle, or two threads mean different values for
  /// one element.
  Result<std::pair<Tile, Spot>> tile_of(const TensorInput& tensor, const std::vector<Ref>& refs,
                                        const std::vector<const Poly*>& offsets);

  /// The tile that a group of stores writes; its points are the values.
  Result<std::pair<Tile, Spot>> tile_of(const TensorInput& tensor, const StoreGroup& group);

  /// Sink::stage.
  Result<std::optional<Logical>> logical_of(const StoreGroup& group,
                                            const std::vector<Object>& objects, Tile& tile);

  /// A tile of equal rows becomes one row, of equal columns one column, where all that is read for
  /// them is read for that one.
  void shrink(Tile& tile);

 private:
  void keep_one_column(Tile& tile);
  Result<std::vector<std::vector<std::int64_t>>> indices_of(const TensorInput& tensor,
                                                            const std::vector<Ref>& refs,
                                                            const std::vector<const Poly*>& offsets,
                                                            Spot& spot) const;

  Terms& terms_;
  const LaunchInput& input_;
};

}  // namespace ws::lift
