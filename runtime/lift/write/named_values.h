// Names of values: a value that the kernel assigns to a variable is a statement of the program too,
// tied to the line that assigns it, so that a change of one is a change of the other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/write/writing.h"

namespace ws::lift {

class NamedValues : private WritingPart {
 public:
  explicit NamedValues(Writing& on)
      : WritingPart(on) {}

  /// Equal for tiles of the same values.
  std::uint64_t tile_hash(const Tile& tile);

  /// Whether one statement of the kernel assigned the numbers in all elements.
  [[nodiscard]] bool is_assigned(const Tile& tile) const;

  /// The name that is_assigned() elements have in the kernel, unless it means something else in
  /// CuIR.
  [[nodiscard]] std::string wanted_name(const Tile& tile) const;

  /// The value that has the hash `key`, by its name.
  [[nodiscard]] std::optional<TileExpr> find(std::uint64_t key) const;

  /// Writes a statement that gives an expression a name, unless its value has one.
  /// @param key  Stands for its value.
  TileExpr named(std::uint64_t key, const std::string& name, TileExpr made);

  /// No value has a name any more: it would not be there in a loop, or behind it.
  void forget() { named_.clear(); }

  /// The value that a variable got last, in this round.
  struct Held {
    std::uint64_t key = 0;  ///< 0: it is not known.
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    ir::ExprId name = ir::kNoExpr;
  };

  void hold(ObjectId id, const Held& value) { held_[id] = value; }

  void drop(ObjectId id) { held_.erase(id); }

  void drop_all() { held_.clear(); }

  /// The variable that holds the values of a tile since its last assignment.
  std::optional<TileExpr> held(const Tile& tile);

  /// The statement that is being written stands for these lines of the source, too.
  void open(const Range& range) { open_.push_back(range); }

  void widen_open(const Range& range) { widen(open_.back(), range); }

  /// @return  The lines of the statement that was opened last.
  Range close();

  /// Keeps the kernel's integers where it assigned the elements of the tile, as the program has
  /// them; only of the first such tile.
  void note_indices(const Tile& tile);

  /// The indices that LaunchInput::probe asks for.
  [[nodiscard]] const std::vector<IndexText>& indices() const { return indices_; }

 private:
  std::unordered_map<std::uint64_t, TileExpr> named_;
  std::map<ObjectId, Held> held_;
  std::vector<Range> open_;
  std::vector<IndexText> indices_;
};

}  // namespace ws::lift
