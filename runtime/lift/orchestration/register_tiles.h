// A kernel's arrays of registers that products use, as tiles of its program.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/lift.h"
#include "runtime/lift/orchestration/part.h"
#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

/// Registers of products as a tile: of a warpgroup with 64 rows, or of the whole block.
struct Fragment {
  std::int64_t parts = 0;  ///< Side by side; 0: a single one, without an index.
  std::int64_t cols = 0;   ///< The columns of a part.
  DType type = DType::kF32;
  Layout layout;  ///< Set for a tile of a whole block; when it has no places, the tile belongs to a
                  ///< warpgroup.

  /// "(64, 128)"
  [[nodiscard]] std::string shape() const;
};

/// Arrays have the names that they have in the program. One thread at a time.
class RegisterTiles {
 public:
  /// A first walk shows which arrays are tiles: they are declared before their products.
  void end_first_walk() { known_ = true; }

  /// Whether a first walk has ended.
  [[nodiscard]] bool are_known() const { return known_; }

  /// @param dims  The array's sizes; a single number has none.
  void declare(const std::string& name, std::vector<std::int64_t> dims);

  /// How many numbers a thread has in the array; nothing: it was not declared.
  [[nodiscard]] std::optional<std::int64_t> count(const std::string& name) const;

  /// nullptr: it is no tile. A declaration may still say how many left operands it has.
  [[nodiscard]] const Fragment* find(const std::string& name) const;

  [[nodiscard]] bool contains(const std::string& name) const { return find(name) != nullptr; }

  /// Left operands: one for each step along the depth of a product, of `count` that are declared.
  void set_steps(const std::string& name, std::int64_t count);

  /// A tile of a whole block, as its products show it.
  void set_layout(const std::string& name, const Layout& layout);

  /// Notes that an array is a tile of sums, and gives the part of it that one product has.
  /// @param first  The first of the product's registers: "acc[1][0]".
  /// @return  "acc[:, (1) * 64:(1) * 64 + 64]"; empty: it is no array, or the product's registers
  ///          are none of the parts that it has.
  std::string sums(const std::string& first, std::int64_t cols);

  /// As sums(), for the left operand that stands in registers. @param step  "a[2]"
  std::string operand(const std::string& step, std::int64_t depth, DType type);

  /// Notes that an array has one number for each of so many rows of a thread.
  void set_rows(const std::string& name, std::int64_t count) { rows_[name] = count; }

  /// How many rows of a thread an array has numbers for; nothing: it is no such array.
  [[nodiscard]] std::optional<std::int64_t> rows(const std::string& name) const;

  /// Where an array of one number for each of a thread's rows lies: by a tile of the block that
  /// gives a thread so many rows.
  [[nodiscard]] std::optional<Layout> rows_layout(std::int64_t count) const;

  /// Whether a tile belongs to the whole block.
  [[nodiscard]] bool has_block_tiles() const;

  /// The tiles of sums, for whoever writes a kernel's text by them. @param block  Its threads;
  /// those along y and z have no form.
  [[nodiscard]] std::vector<RegisterTile> all(const std::array<std::int64_t, 3>& block) const;

 private:
  std::map<std::string, std::vector<std::int64_t>> dims_;  // The sizes that are declared.
  std::map<std::string, Fragment> tiles_;
  std::map<std::string, std::int64_t> rows_;
  bool known_ = false;
};

}  // namespace ws::lift
