#include "runtime/lift/symbolic/copies.h"

#include <algorithm>

namespace ws::lift {
namespace {

tl::unexpected<Error> no_tiles(const std::string& why) {
  return fail(ErrorCode::kUnsupported, "copies by threads " + why);
}

/// Elements of an array's tile, which its last two dimensions are.
std::int64_t tile_elements(const Object& array) {
  return array.dims.rbegin()[0] * array.dims.rbegin()[1];
}

}  // namespace

Result<std::vector<TileCopy>> Copies::tiles_of(const std::vector<CopyEvent>& events) const {
  std::vector<Gathering> all;
  for (const CopyEvent& event : events) {
    WS_CHECK(add(event, all));
  }
  std::vector<TileCopy> made;
  for (Gathering& one : all) {
    WS_CHECK(finish(one));
    made.push_back(std::move(one.copy));
  }
  return made;
}

/// Sorts the threads' pieces into the tile that they belong to.
Status Copies::add(const CopyEvent& event, std::vector<Gathering>& all) const {
  const TensorInput& tensor =
      input_.tensors[objects_[static_cast<std::size_t>(event.source)].tensor];
  const std::optional<std::vector<Poly>> index = tiles_.coordinates(tensor, event.from);
  const std::int64_t size = tile_elements(objects_[static_cast<std::size_t>(event.target)]);
  if (!index || !event.to.symbolic().is_uniform()) {
    return no_tiles("from `" + tensor.name + "` follow no dimension of it");
  }
  WS_TRY(const std::vector<bool> masked, masked_dims(event, tensor, *index));
  std::vector<Poly> first;
  for (const Poly& one : *index) {
    first.push_back(one.symbolic());
    if (!first.back().is_uniform()) {
      return no_tiles("from `" + tensor.name + "` are not side by side");
    }
  }
  const Lanes to = event.to.constant();
  for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
    if (lane_of(event.active, lane) == 0) {
      continue;
    }
    const std::int64_t at = lane_of(to, lane);
    const Poly tile = event.to.symbolic().plus(Poly(at - at % size));
    auto known = std::find_if(all.begin(), all.end(), [&](const Gathering& one) {
      return one.copy.target == event.target && one.copy.source == event.source &&
             one.copy.first == tile && one.first == first;
    });
    if (known == all.end()) {
      Gathering fresh;
      fresh.copy.target = event.target;
      fresh.copy.source = event.source;
      fresh.copy.first = tile;
      fresh.copy.padded = event.inside != kNone;
      fresh.first = first;
      fresh.masked = masked;
      known = all.insert(all.end(), std::move(fresh));
    }
    if (at < 0 || known->masked != masked || known->copy.padded != (event.inside != kNone)) {
      return no_tiles("have different conditions");
    }
    Piece piece{{}, at % size, event.elements};
    for (const Poly& one : *index) {
      piece.index.push_back(lane_of(one.constant(), lane));
    }
    known->pieces.push_back(std::move(piece));
  }
  return {};
}

/// The dimensions whose edge the condition asks about; it may ask nothing else.
Result<std::vector<bool>> Copies::masked_dims(const CopyEvent& event, const TensorInput& tensor,
                                              const std::vector<Poly>& index) const {
  std::vector<bool> masked(index.size(), false);
  std::vector<Ref> atoms;
  constexpr std::size_t kMostConditions = 16;
  if (event.inside != kNone &&
      !terms_.flatten({event.inside, 0}, ir::Operator::kAnd, kMostConditions, atoms)) {
    return no_tiles("under too many conditions");
  }
  for (const Ref& atom : atoms) {
    const std::optional<std::size_t> dim = tiles_.edge_of(atom.term, index, tensor);
    if (!dim) {
      return no_tiles("under a condition that is not that of `" + tensor.name + "`'s edge");
    }
    masked[*dim] = true;
  }
  return masked;
}

Status Copies::finish(Gathering& one) const {
  std::vector<std::int64_t> least = one.pieces.front().index;
  std::vector<std::int64_t> most = least;
  for (const Piece& piece : one.pieces) {
    for (std::size_t dim = 0; dim < least.size(); ++dim) {
      const std::int64_t behind = dim + 1 == least.size() ? piece.elements - 1 : 0;
      least[dim] = std::min(least[dim], piece.index[dim]);
      most[dim] = std::max(most[dim], piece.index[dim] + behind);
    }
  }
  TileCopy& copy = one.copy;
  for (std::size_t dim = 0; dim < least.size(); ++dim) {
    copy.spot.first.push_back(one.first[dim].plus(Poly(least[dim])));
    const std::int64_t count = most[dim] - least[dim] + 1;
    if (dim + 1 == least.size()) {
      copy.spot.col_dim = dim;
      copy.tile.cols = count;
    } else if (count > 1 && copy.spot.row_dim != Spot::kNoDim) {
      return no_tiles("spread over three dimensions");
    } else if (count > 1) {
      copy.spot.row_dim = dim;
      copy.tile.rows = count;
    }
  }
  if (copy.spot.row_dim == Spot::kNoDim) {
    return no_tiles("are of a single row");
  }
  WS_CHECK(check_edges(one));
  return place_box(one, least);
}

/// Zeros may come only where the kernel asks for them: elsewhere the box may not pass an edge.
///
/// A piece that a condition lets through is wholly inside: its address is a multiple of its size in
/// every row, so that the rows' length is one, too.
Status Copies::check_edges(const Gathering& one) const {
  const TileCopy& copy = one.copy;
  const TensorInput& tensor =
      input_.tensors[objects_[static_cast<std::size_t>(copy.source)].tensor];
  for (std::size_t dim = 0; copy.padded && dim < one.masked.size(); ++dim) {
    const bool several = dim == copy.spot.row_dim || dim == copy.spot.col_dim;
    if (one.masked[dim] || !several) {
      continue;
    }
    const std::optional<std::int64_t> first = copy.spot.first[dim].number();
    const std::optional<std::int64_t> size = tensor.shape[dim].number();
    const std::int64_t count = dim == copy.spot.row_dim ? copy.tile.rows : copy.tile.cols;
    if (!first || !size || *first < 0 || *first + count > *size) {
      return no_tiles("may pass an edge of `" + tensor.name + "` that no condition asks about");
    }
  }
  return {};
}

/// The box in the array, and which element of it lies where.
Status Copies::place_box(Gathering& one, const std::vector<std::int64_t>& least) const {
  TileCopy& copy = one.copy;
  const Object& array = objects_[static_cast<std::size_t>(copy.target)];
  const std::int64_t width = array.dims.back();
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> places;  // In the box.
  std::set<std::int64_t> elements;
  std::int64_t last_row = 0;
  std::int64_t last_col = 0;
  copy.row = copy.col = tile_elements(array);
  for (const Piece& piece : one.pieces) {
    for (std::int64_t i = 0; i < piece.elements; ++i) {
      const std::int64_t row = piece.index[copy.spot.row_dim] - least[copy.spot.row_dim];
      const std::int64_t col = piece.index[copy.spot.col_dim] - least[copy.spot.col_dim] + i;
      const std::int64_t place = piece.place + i;
      if (!elements.insert(row * copy.tile.cols + col).second ||
          !places.emplace(place, std::pair(row, col)).second) {
        return no_tiles("meet in one element");
      }
      copy.row = std::min(copy.row, place / width);
      copy.col = std::min(copy.col, place % width);
      last_row = std::max(last_row, place / width);
      last_col = std::max(last_col, place % width);
    }
  }
  const bool dense = static_cast<std::int64_t>(elements.size()) == copy.tile.rows * copy.tile.cols;
  if (!dense || last_row - copy.row + 1 != copy.tile.rows ||
      last_col - copy.col + 1 != copy.tile.cols) {
    return no_tiles("leave gaps, or fill `" + array.name + "` in another form");
  }
  for (const auto& [place, element] : places) {
    copy.order[place] = {element.first + copy.row, element.second + copy.col};
  }
  return {};
}

}  // namespace ws::lift
