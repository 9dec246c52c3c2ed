// Types of values, with their shapes. The checker works on types alone; the executor gives the same
// rules the types of its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ir/check/affine.h"
#include "runtime/kernel/dtype.h"

namespace ws::ir {

enum class Kind : std::uint8_t {
  kNone,
  kInt,      // value
  kFloat,    //
  kBool,     // value: 0 or 1
  kString,   // text
  kDtype,    // dtype
  kTile,     // dtype, shape: a value
  kBuffer,   // dtype, shape, space: memory, or a part of it
  kBarrier,  // shape: () is one mbarrier, (n) is n of them
  kRing,     // shape: (stages,)
  kTuple,    // items
  kMethod,   // text
  kRange,    // items: first, last, step
  kMixed,    // text: it is this or that, depending on the way here
};

enum class Space : std::uint8_t { kGlobal, kShared, kRegister };

using Shape = std::vector<std::int64_t>;

struct Type {
  Kind kind = Kind::kNone;
  DType dtype = DType::kF32;
  Shape shape;
  Space space = Space::kGlobal;
  Affine value;
  std::string text;
  std::vector<Type> items;

  static Type integer(Affine value);
  static Type integer(std::int64_t value);
  static Type real();
  static Type boolean(Affine value);
  static Type string(std::string text);
  static Type tile(DType dtype, Shape shape);
  static Type buffer(Space space, DType dtype, Shape shape);
  static Type tuple(std::vector<Type> items);

  /// Can be read as a tile: a tile or a buffer.
  [[nodiscard]] bool is_tile() const { return kind == Kind::kTile || kind == Kind::kBuffer; }

  [[nodiscard]] bool is_number() const {
    return kind == Kind::kInt || kind == Kind::kFloat || kind == Kind::kBool;
  }

  /// The integer or truth value, when it is known.
  [[nodiscard]] std::optional<std::int64_t> constant() const;
};

/// Most elements of a tile or a buffer, and of an argument of the kernel.
inline constexpr std::int64_t kMaxTileElements = std::int64_t{1} << 22U;
inline constexpr std::int64_t kMaxTensorElements = std::int64_t{1} << 24U;

/// Product of the sizes; nothing when one is negative or it exceeds 2^62.
std::optional<std::int64_t> count_of(const Shape& shape);

/// The bytes of a tile or buffer; 0 where count_of() says nothing.
std::int64_t bytes_of(const Shape& shape, DType dtype);

/// The bytes of a row after which the pattern of a swizzle begins again: 128 of "128B". 0 for ""
/// and "none", which are no swizzle.
std::int64_t swizzle_bytes(const std::string& swizzle);

/// "(64, 32)", "(64,)", "()".
std::string to_text(const Shape& shape);

/// "a tile (64, 32) of f16", "an integer", "a barrier", ...
std::string describe(const Type& type);

/// "shared", ... : as alloc names it.
std::string word_of(Space space);

/// The type that both can be read as: equal but for what is known of the numbers in it; None and
/// something else are something else; else kMixed.
Type join(const Type& a, const Type& b);

}  // namespace ws::ir
