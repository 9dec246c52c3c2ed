// A compiled kernel of tiles: the blob of its Image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/compile.h"
#include "runtime/kernel/plan/tile_launch.h"

namespace ws {

/// A launch as a CuIR program.
struct TileProgramForm {
  struct Tensor {
    std::string parameter;   ///< A parameter of the program's __init__.
    std::size_t buffer = 0;  ///< Index into TileImage::buffers.
    std::vector<std::int64_t> shape;
  };

  struct Scalar {
    std::string parameter;
    DType type = DType::kI32;
    double value = 0;
  };

  std::string entry;
  std::string program;     ///< CuIR.
  std::vector<int> lines;  ///< For each of its lines, the line of the kernel's source; 0: none.
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars;
};

/// A buffer that launches use, and where a plan says where it lies.
struct TileBuffer {
  TileArg spec;          ///< Its kind is kTensor or kDescriptor.
  bool flat = false;     ///< The programs see its elements in one row, gaps included.
  std::size_t step = 0;  ///< The launch that has it as an argument,
  std::size_t arg = 0;   ///< and which one.
};

struct TileImage {
  std::string language;
  std::vector<TileBuffer> buffers;
  std::vector<TileProgramForm> programs;
  std::vector<std::size_t> steps;  ///< For each launch of the plan its program.
  bool counts = false;             ///< A profile build: its work is counted.
};

std::string encode(const TileImage& image);
/// Whether a blob is such an image; else it is another device's.
bool is_tile_image(std::string_view blob);
/// @errors kInternal: not what encode() makes.
Result<TileImage> decode_tile_image(std::string_view blob);

}  // namespace ws
