// One launch as a compiler of tiles needs it: what each parameter gets.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernel/dtype.h"

namespace ws {

struct TileArg {
  /// kDescriptor: a part of a buffer with the tile that is loaded and stored of it. It has the
  /// fields of kTensor.
  enum class Kind : std::uint8_t { kTensor, kInteger, kFloat, kNull, kDescriptor };
  Kind kind = Kind::kNull;
  std::string name;  ///< kTensor: the buffer.
  DType type = DType::kI32;
  /// kInteger; kTensor: elements from the buffer's start; kDescriptor: 1 where NaN is read beyond
  /// the edge, 0: zeros.
  std::int64_t value = 0;
  std::string number;                 ///< kFloat: its text, which reads back as the same number.
  std::vector<std::int64_t> shape;    ///< kTensor: in elements, outermost first. kDescriptor: and
                                      ///< then the tile's.
  std::vector<std::int64_t> strides;  ///< kTensor: in elements, one a dimension.
  std::int64_t span = 0;              ///< kTensor: elements of the buffer, gaps included.
  bool given = false;                 ///< kTensor: it holds values before the first launch.
  bool writable = false;              ///< kTensor: it is no input.

  /// kFloat: the number as it was given, and as the argument's type holds it.
  [[nodiscard]] double real() const;
  [[nodiscard]] double rounded() const;

  auto operator<=>(const TileArg&) const = default;
};

struct TileLaunch {
  std::string entry;
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::vector<TileArg> args;
  std::int64_t num_warps = 4;
  std::int64_t num_stages = 3;

  auto operator<=>(const TileLaunch&) const = default;
};

}  // namespace ws
