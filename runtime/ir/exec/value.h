// The values that names have while a program runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ir/check/type.h"
#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

/// How numbers are kept: all as f64, all rounded to f32, each rounded to its own type after every
/// operation, or not at all: then only orders and places are checked.
enum class ValueMode : std::uint8_t { kF64, kF32, kTyped, kNone };

/// A tile's elements in row-major order; none when they are not kept: in ValueMode::kNone those of
/// floats that were computed, and all that depends on them.
struct Tile {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<double> data;
};

struct Buffer;
struct Mbarrier;

/// A part of a buffer: a box in the buffer's own dimensions, and how it is looked at.
struct View {
  std::shared_ptr<Buffer> buffer;
  Shape first;                    ///< For each dimension of the buffer, the first index,
  Shape count;                    ///< and how many.
  std::vector<std::size_t> axes;  ///< The buffer's dimension of each dimension of the view.
};

/// A NaN that stands for what nobody determined: padding that was left open, memory that was never
/// written. It keeps its bits through arithmetic and through f32.
double undetermined();
/// Another one, for a whole number beyond 2^53: a double does not hold its last digits.
double too_large();

/// The end of a message about a value that depends on one, and what to do.
inline constexpr const char* kDependsOnTooLarge =
    " depends on a whole number beyond 2^53, which the executor cannot hold: it keeps numbers as "
    "f64";
inline constexpr const char* kSmallerNumbers =
    "keep whole numbers within 2^53, by other inputs or other arithmetic: nothing beyond is judged";

/// Whether a value is one of the two.
bool is_undetermined(double value);
bool is_too_large(double value);

/// The result of values of which at least one is undetermined: too_large() where one of them is.
double undetermined_by(double x, double y);

struct Value {
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;          ///< kInt, kBool.
  bool unknown = false;              ///< kInt, kBool: undetermined; a kFloat's number says it.
  double number = 0;                 ///< kFloat.
  std::string text;                  ///< kString, kMethod.
  DType dtype = DType::kF32;         ///< kDtype; kBuffer: of its elements.
  Space space = Space::kGlobal;      ///< kBuffer.
  Shape shape;                       ///< kBuffer, kBarrier, kRing.
  std::shared_ptr<const Tile> tile;  ///< kTile.
  std::shared_ptr<const View> view;  ///< kBuffer.
  Mbarrier* barrier = nullptr;       ///< kBarrier: the first of them.
  std::uint64_t made_at = 0;         ///< kTile: the block's count of accesses when it was made.
  SourcePlace product;               ///< kTile: of the product as whose result its elements lie in
                                     ///< registers. Line 0: they lie as anybody wants them.
  std::vector<Value> items;          ///< kTuple, kRange; kRing: the barriers full and empty.

  static Value of(std::int64_t integer);
  static Value real(double number);
  static Value truth(bool truth);
  static Value of(Tile tile);
  static Value string(std::string text);
  /// A number that is undetermined: kInt, kBool or kFloat. @param why  undetermined(), too_large().
  static Value undetermined_of(Kind kind, double why = undetermined());

  /// For kInt, kBool and kFloat.
  [[nodiscard]] double as_number() const;

  /// False for a number that depends on what nobody determined.
  [[nodiscard]] bool is_determined() const;

  /// False for a tile whose elements are not kept.
  [[nodiscard]] bool is_kept() const { return kind != Kind::kTile || !tile->data.empty(); }
};

/// Elements that tiles and buffers hold which this thread made: a schedule runs on one thread.
std::int64_t live_elements();

/// Counts `elements` as alive until the result is dropped, on this thread.
std::shared_ptr<const void> count_alive(std::int64_t elements);

/// The type of a value, with all that is known of it.
Type type_of(const Value& value);

}  // namespace ws::ir
