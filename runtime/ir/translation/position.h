// An index of a program as a sum: what does not change, and multiples of what a block, a round of a
// loop or an element decides. Two programs that reach the same element have equal sums.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ws::ir {

/// Something that a position is a multiple of.
struct Atom {
  std::string name;  ///< "blockIdx.x", "round 1", "lane 64", or the text of a division.
  int dim = 0;       ///< A lane's: the tile's dimension that it runs along, counted from the last.

  auto operator<=>(const Atom&) const = default;
};

struct Position {
  std::int64_t constant = 0;
  std::map<Atom, std::int64_t> terms;  ///< None is 0.

  static Position of(std::int64_t constant) { return {constant, {}}; }

  static Position of(Atom atom) { return {0, {{std::move(atom), 1}}}; }

  /// Nothing where a number leaves 64 bits.
  [[nodiscard]] std::optional<Position> plus(const Position& other, std::int64_t factor = 1) const;
  [[nodiscard]] std::optional<Position> times(std::int64_t factor) const;

  /// Whether its numbers are those of places in memory, so that sums and products with the sizes of
  /// tiles stay in 64 bits.
  [[nodiscard]] bool in_range() const;

  /// The number, where nothing else is in it.
  [[nodiscard]] std::optional<std::int64_t> number() const;

  friend bool operator==(const Position&, const Position&) = default;
};

bool is_lane(const Atom& atom);
/// Elements of the dimension that a lane runs along.
std::int64_t lane_size(const Atom& atom);

/// The elements of a tile of `from`, laid out as `to`: nothing where they do not stay in their
/// dimensions. Dimensions of size 1 come and go.
std::optional<Position> reshaped(const Position& position, const std::vector<std::int64_t>& from,
                                 const std::vector<std::int64_t>& to);

/// Dimension i of the result is `dims[i]` of a tile.
Position permuted(const Position& position, const std::vector<std::int64_t>& dims);

/// "16*blockIdx.x + lane 64:0 - 1".
std::string to_text(const Position& position);

}  // namespace ws::ir
