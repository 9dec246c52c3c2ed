// Copies that threads make piece by piece, cp.async, as copies of tiles.
#pragma once

#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

/// The copies that one statement makes in all threads: each copies some neighbouring elements.
struct CopyEvent {
  ObjectId target = kNone;  ///< An array in shared memory.
  Poly to;                  ///< Its first element.
  ObjectId source = kNone;  ///< A tensor.
  Poly from;                ///< Its first element.
  std::int64_t elements = 0;
  TermId inside = kNone;  ///< Zeros come where this does not hold; kNone: it always does.
  Lanes active = {1};
};

/// A dense box of a tensor that becomes a box of an array.
struct TileCopy {
  ObjectId target = kNone;
  Poly first;  ///< Element of the array where its tile begins.
  ObjectId source = kNone;
  Spot spot;
  Tile tile;             ///< Its size; without points.
  std::int64_t row = 0;  ///< Where in the array's tile the box lies.
  std::int64_t col = 0;
  bool padded = false;  ///< Zeros come beyond the tensor's edges.
  Logical order;        ///< Row and column in the array's tile, by the place that threads write.
};

class Copies {
 public:
  Copies(const Terms& terms, const Tiles& tiles, const LaunchInput& input,
         const std::vector<Object>& objects)
      : terms_(terms),
        tiles_(tiles),
        input_(input),
        objects_(objects) {}

  /// The tiles that `events` copy together, in the order in which they begin.
  /// @errors kUnsupported: they are no tiles, or a condition is not that of the tensor's edges.
  [[nodiscard]] Result<std::vector<TileCopy>> tiles_of(const std::vector<CopyEvent>& events) const;

 private:
  /// A thread's elements: where they are in each dimension, and where they go.
  struct Piece {
    std::vector<std::int64_t> index;
    std::int64_t place = 0;
    std::int64_t elements = 0;
  };

  /// Pieces of one tile.
  struct Gathering {
    TileCopy copy;
    std::vector<Poly> first;  ///< The part of the tensor's indices that is the same in all pieces.
    std::vector<Piece> pieces;
    std::vector<bool> masked;  ///< By dimension: whether a condition keeps pieces within it.
  };

  Status add(const CopyEvent& event, std::vector<Gathering>& all) const;
  [[nodiscard]] Result<std::vector<bool>> masked_dims(const CopyEvent& event,
                                                      const TensorInput& tensor,
                                                      const std::vector<Poly>& index) const;
  Status finish(Gathering& one) const;
  Status place_box(Gathering& one, const std::vector<std::int64_t>& least) const;
  [[nodiscard]] Status check_edges(const Gathering& one) const;

  const Terms& terms_;
  const Tiles& tiles_;
  const LaunchInput& input_;
  const std::vector<Object>& objects_;
};

}  // namespace ws::lift
