// A kernel's arrays in shared memory as buffers of its program: their sizes, rows, swizzles and
// orders, and which of them the program uses.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/input.h"
#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

/// Buffers have names of the program: "self.As". One thread at a time; tree and input outlive it.
class SharedBuffers {
 public:
  /// Finds arrays of their own, and the fields of structs that are laid over shared memory.
  SharedBuffers(const Tree& tree, const LaunchInput& input);

  /// A walk begins: no buffer is used yet. What a walk has found out of them stays.
  void begin_walk() { used_.clear(); }

  /// The name of an array, or of such a field; an attribute of the program that no argument has.
  [[nodiscard]] std::string name_of(const std::string& declared) const;

  /// nullptr: it is no buffer.
  [[nodiscard]] const SharedArray* find(const std::string& name) const;

  [[nodiscard]] const SharedArrays& all() const { return arrays_; }

  /// @param name  One of them, or a barrier.
  void use(const std::string& name) { used_.insert(name); }

  /// Notes the box that TMA copies to a buffer or from it; not after shape_by_boxes().
  void note_box(const std::string& name, std::int64_t rows, std::int64_t cols);

  /// After a first walk: buffers without rows that are filled by boxes of one size have these rows.
  void shape_by_boxes();

  [[nodiscard]] bool has_box(const std::string& name) const { return boxes_.contains(name); }

  /// The address of an element as tile, row and column, where the boxes that were noted have one
  /// size; else the place as it is.
  [[nodiscard]] MemoryPlace boxed(MemoryPlace place, Symbols& symbols) const;

  void set_swizzle(const std::string& name, const std::string& swizzle) {
    swizzles_[name] = swizzle;
  }

  [[nodiscard]] bool has_swizzle(const std::string& name) const { return swizzles_.contains(name); }

  /// Notes in which order the rows and columns of buffers lie, and uses these.
  /// @return  A buffer that is filled in two orders, which then has none; empty: there is none.
  std::string keep_orders(const std::map<std::string, Logical>& orders);

  /// The lines that allocate what is used, without barriers: `self.As = alloc(...)  # @
  /// source:3-3`.
  [[nodiscard]] std::vector<std::string> allocations() const;

 private:
  /// Rows and columns that TMA fills an array with; no columns: of different sizes.
  struct Box {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
  };

  const Tree& tree_;
  const LaunchInput& input_;
  SharedArrays arrays_;
  std::map<std::string, std::string> swizzles_;  // As tensor maps have them.
  std::map<std::string, Box> boxes_;             // Arrays without rows of their own have some.
  bool shaped_ = false;
  std::set<std::string> used_;
};

}  // namespace ws::lift
