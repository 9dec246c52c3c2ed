// Buffers: their elements, which of them were written, and who used them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/ir/exec/shadow.h"
#include "runtime/ir/exec/value.h"

namespace ws::ir {

struct Buffer {
  std::string name;
  bool named = false;  ///< A name of the program holds it.
  Space space = Space::kShared;
  DType dtype = DType::kF32;
  Shape shape;
  std::string swizzle;
  bool read_only = false;             ///< An argument whose role is `in`.
  SourcePlace place;                  ///< The place of its alloc.
  SourcePlace product;                ///< Registers: as Value::product.
  bool fragments = false;             ///< Shared memory: threads that had a product wrote it last.
  std::vector<double> data;           ///< Empty where they are not kept, as those of a Tile.
  std::vector<std::uint8_t> written;  ///< One an element.
  std::size_t unwritten = 0;          ///< Zeros in `written`.
  Shadow shadow;
  std::shared_ptr<const void> alive;  ///< A block's buffer: its part of live_elements().
};

/// The whole of a buffer.
View view_of(std::shared_ptr<Buffer> buffer);

/// The sizes of the view's own dimensions.
Shape shape_of(const View& view);

/// The part of `view` that lies inside the buffer, in the buffer's dimensions.
Box inside(const View& view);

/// True when part of `view`, or all of it, lies beyond the buffer's edge.
bool passes_edge(const View& view);
bool wholly_outside(const View& view);

/// For each element of the view in its own order, its place in Buffer::data; kOutside beyond the
/// edge.
inline constexpr std::size_t kOutside = SIZE_MAX;
std::vector<std::size_t> places_of(const View& view);

/// The elements; `beyond` stands for those outside.
std::vector<double> read(const View& view, double beyond);

/// Rounds to the buffer's type and writes; what is outside is dropped. Without elements, in
/// ValueMode::kNone, the buffer keeps none from here on.
void write(const View& view, std::vector<double> elements, ValueMode mode);

/// Marks the elements inside as written, or says whether all of them are.
void mark_written(const View& view);
bool all_written(const View& view);

/// "sK[1, 0:64]": a part of a buffer as a reader would write it.
std::string name_of(const View& view);

}  // namespace ws::ir
