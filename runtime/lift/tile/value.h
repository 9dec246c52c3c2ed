// The value of an expression of a kernel while it is lifted: its type, what is known of it, and
// its text in CuIR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/dtype.h"

namespace ws::lift::tile {

using Shape = std::vector<std::int64_t>;

enum class ValueKind : std::uint8_t {
  kUnknown,  // A statement that gave it was complained about: nothing more is said of it.
  kNone,     //
  kNumber,   // dtype; integer or real where it is constant
  kTile,     // dtype, shape
  kPointer,  // dtype of what it points at, shape of the tile of pointers, tensor; text: elements
             // from the tensor's start
  kArray,    // dtype, shape, tensor; block: it is a part of the tensor
  kPart,     // a range of indices: items: its start; shape: its length
  kBlock,    // a block pointer or descriptor: block, items: its offsets
  kTuple,    // items
  kText,     // text
  kType,     // dtype
  kName,     // text: a module, a member of one, or a function of the file
  kMethod,   // text: the method; items: of what
};

/// A tensor's part that a block pointer or descriptor stands for. Sizes and strides are in CuIR.
struct BlockView;

struct Value {
  ValueKind kind = ValueKind::kNone;
  DType dtype = DType::kF32;
  bool weak = false;  ///< A number as it is written: it takes the type of what it meets.
  Shape shape;
  std::string text;
  int precedence = 0;  ///< The precedence of the text's loosest operator; kTight: none.
  std::optional<std::int64_t> integer;
  std::optional<double> real;
  int tensor = -1;
  std::vector<Value> items;
  std::shared_ptr<const BlockView> block;

  [[nodiscard]] bool is_number() const { return kind == ValueKind::kNumber; }

  [[nodiscard]] bool is_tile() const { return kind == ValueKind::kTile; }

  /// A number or a tile.
  [[nodiscard]] bool is_numeric() const { return is_number() || is_tile(); }

  [[nodiscard]] bool is_constant() const { return integer.has_value() || real.has_value(); }

  /// Whether a variable of the program can hold it.
  [[nodiscard]] bool has_text() const { return is_numeric() || kind == ValueKind::kPointer; }

  /// The number, where it is constant.
  [[nodiscard]] double number() const;
};

struct BlockView {
  Value base;  ///< kPointer, of no shape.
  std::vector<Value> sizes;
  std::vector<Value> strides;
  Shape block;
  bool descriptor = false;  ///< Always cut off at the edge.
  bool nan = false;         ///< Beyond the edge NaN is read, not zeros.
};

inline constexpr int kTight = 100;

/// A number as it is written.
Value constant_of(std::int64_t value);
Value constant_of(double value);
Value truth_of(bool value);

/// A number that is known when the kernel runs.
Value number_of(DType dtype, std::string text, int precedence = kTight);
Value tile_of(DType dtype, Shape shape, std::string text, int precedence = kTight);
Value tuple_of(std::vector<Value> items);
Value type_of(DType dtype);
Value text_of(std::string text);
Value name_of(std::string text);
/// The value that a statement gives which was complained about.
Value unknown_value();

/// The text, in parentheses where it binds more loosely than `precedence`.
std::string at(const Value& value, int precedence);

/// "a tile (16, 16) of f32", "an integer", "a pointer to f16".
std::string describe(const Value& value);
/// "(16, 16)", "(16,)".
std::string to_text(const Shape& shape);

std::int64_t count_of(const Shape& shape);

/// The value and all that it consists of, counted.
std::size_t parts_of(const Value& value);

/// The same but for what is known of the numbers.
bool same_type(const Value& a, const Value& b);

}  // namespace ws::lift::tile
