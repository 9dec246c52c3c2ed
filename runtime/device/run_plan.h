// The plan as a run worker gets it: numbers only, no names of the problem. The server makes it from
// a ResolvedPlan, a compiled Image and an Arena.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/compile.h"

namespace ws {

struct RunArg {
  bool pointer = false;
  bool null = false;
  std::uint64_t value = 0;  ///< Scalar: its bits, little-endian. Pointer: offset in the arena.
  std::uint64_t low = 0;    ///< Pointer: the buffer's range in the arena, for bounds builds.
  std::uint64_t high = 0;
  std::int32_t tensor_map = -1;     ///< Index into RunPlan::tensor_maps; -1: no tensor map.
  std::vector<std::uint8_t> bytes;  ///< A struct by value; empty: none.
  std::int32_t texture = -1;        ///< Index into RunPlan::textures; -1: no texture.
};

struct RunStep {
  std::uint32_t entry = 0;  ///< Index into Image::entries.
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  ///< All 1: no cluster.
  bool cooperative = false;
  bool pdl = false;
  std::vector<RunArg> args;
};

struct RunRange {
  std::uint64_t low = 0;  ///< Offsets in the arena.
  std::uint64_t high = 0;
  bool given = true;  ///< The kernel may read it first: neither an output nor scratch memory.
  bool zero = false;  ///< Set to zero before the first launch.
  /// In bytes: timed launches may find the contents rotated by multiples of it; 0: as they are.
  std::uint64_t rotation_step = 0;
  bool digested = false;  ///< Timed launches write it, and it has an OutputDigest.
  DType type = DType::kF32;
};

struct RunSymbol {
  std::uint32_t symbol = 0;        ///< Index into Image::symbols.
  std::uint64_t image_offset = 0;  ///< The variable, in an image of the CPU engine.
  std::uint64_t arena_offset = 0;  ///< Its contents.
  std::uint64_t bytes = 0;
};

/// As TensorMap, of a place in the arena.
struct RunTensorMap {
  std::uint64_t offset = 0;
  DType type = DType::kF32;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;
  std::vector<std::uint32_t> box;
  std::vector<std::uint32_t> element_strides;
  TensorMapModes modes;
};

/// As Texture.
struct RunTexture {
  std::uint32_t buffer = 0;  ///< Index into RunPlan::buffers.
  DType type = DType::kF32;
  std::uint32_t channels = 1;
  std::array<std::uint32_t, 3> size = {1, 0, 0};
  TextureModes modes = {};
};

struct RunPlan {
  std::uint64_t arena_bytes = 0;
  std::vector<RunRange> buffers;  ///< In the order of ResolvedPlan::buffers.
  std::vector<RunStep> steps;
  std::vector<RunSymbol> symbols;
  std::vector<RunTensorMap> tensor_maps;
  std::vector<RunTexture> textures;
  /// The owner of the code: a device may give a worker that ran it well to the same owner again,
  /// which then finds what its own earlier launches left between allocations. Empty: a fresh
  /// worker. Not sent.
  std::string owner;
  /// The batch whose later kernels may use this worker after Session::mark_verified(). Empty: none
  /// may. Not sent.
  std::string batch;
};

/// The first frame to a run worker; the arena's descriptor travels with it.
std::string encode_load(const Image& image, const RunPlan& plan);

struct Load {
  Image image;
  RunPlan plan;
};

/// @errors kInternal: not what encode_load() writes.
Result<Load> decode_load(std::string_view frame);

}  // namespace ws
