// A kernel's plan resolved for one workload and one choice of parameters: numbers only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/tile_launch.h"
#include "runtime/kernel/problem.h"

namespace ws {

enum class BufferRole : std::uint8_t { kIn, kOut, kInout, kScratch };

struct BufferSpec {
  std::string name;
  DType type = DType::kF32;
  BufferRole role = BufferRole::kIn;
  std::vector<std::int64_t> shape;    ///< Extents, outermost first; empty = one element.
  std::vector<std::int64_t> strides;  ///< In elements, same length as shape, all >= 0.
  std::int64_t elements = 1;          ///< Product of the extents (may be 0).
  std::int64_t span = 1;              ///< Elements from the first to the last used, gaps included.
  bool zero = false;                  ///< Scratch that is zero before the first launch.
  /// In elements: timed launches may find the contents rotated by multiples of it; 0: as drawn.
  std::int64_t rotation_step = 0;
  std::map<std::string, double> fill_sizes = {};  ///< The values of the fill's expressions.

  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(span) * size_of(type); }

  [[nodiscard]] bool contiguous() const { return span == elements; }
};

struct LaunchArg {
  enum class Kind : std::uint8_t { kBuffer, kScalar, kNull, kTensorMap, kStruct, kTexture };
  Kind kind = Kind::kScalar;
  int buffer = -1;               ///< Index into ResolvedPlan::buffers.
  int tensor_map = -1;           ///< kTensorMap: index into ResolvedPlan::tensor_maps.
  std::int64_t byte_offset = 0;  ///< kBuffer.
  DType type = DType::kI32;      ///< kScalar.
  bool any_int = false;          ///< kScalar from a dim or parameter named alone: takes the size of
                                 ///< the entry's parameter (i32 or i64).
  double float_value = 0;        ///< kScalar of a float type.
  std::int64_t int_value = 0;    ///< kScalar of an integer type.
  std::string text;              ///< As written, for messages: "A", "cdiv(k, 32)".
  std::vector<LaunchArg> members = {};  ///< kStruct: scalars in order, each aligned to its size.
  /// In a shader language: what it is called there; empty: it has no name.
  std::string as = {};
  int texture = -1;  ///< kTexture: index into ResolvedPlan::textures.
};

struct LaunchStep {
  std::string entry;  ///< Name expression after substitution.
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t shared_bytes = 0;
  std::array<std::int64_t, 3> cluster = {1, 1, 1};  ///< In blocks; all 1: no cluster.
  bool cooperative = false;
  bool pdl = false;
  std::vector<LaunchArg> args;
  std::int64_t num_warps = 4;  ///< In a language of tiles, as is the next.
  std::int64_t num_stages = 3;

  [[nodiscard]] std::int64_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
};

struct SymbolFill {
  std::string name;
  int buffer = -1;
};

/// A tensor map in numbers that the driver takes: every rule of cuTensorMapEncodeTiled was checked,
/// and all that it reaches lies in its buffer. Innermost dimension first.
struct TensorMap {
  std::string name;
  int buffer = -1;
  DType type = DType::kF32;
  std::vector<std::uint64_t> shape;    ///< In elements.
  std::vector<std::uint64_t> strides;  ///< In bytes, of all dimensions but the innermost.
  std::vector<std::uint32_t> box;
  std::vector<std::uint32_t> element_strides;
  TensorMapModes modes;
};

/// A texture in numbers: its sizes are within what a GPU allows, and all its texels lie in its
/// buffer, one behind the other.
struct Texture {
  int buffer = -1;
  DType type = DType::kF32;
  std::uint32_t channels = 1;
  /// Width, height and depth, or layers, in texels; 0: it has no such dimension.
  std::array<std::uint32_t, 3> size = {1, 0, 0};
  TextureModes modes = {};

  bool operator==(const Texture&) const = default;
};

struct ResolvedPlan {
  std::vector<BufferSpec> buffers;  ///< The problem's non-scalar arguments in order, then scratch.
  std::vector<LaunchStep> steps;    ///< Repeats unrolled.
  std::vector<SymbolFill> symbols;
  std::vector<TensorMap> tensor_maps;
  std::vector<Texture> textures;  ///< Each once, however many launches take it.
};

/// Source with @NAME@ substituted, ready for a compiler.
struct RenderedSource {
  std::string language;
  std::string source;
  std::string macros;
  std::vector<std::string> entries;  ///< Distinct name expressions, in launch order.
  std::vector<std::string> options;
  std::map<std::string, std::string> headers;
  std::vector<TileLaunch> launches;  ///< In a language of tiles: what the code is made for.

  auto operator<=>(const RenderedSource&) const = default;
};

/// Evaluates every expression of the plan.
///
/// @errors kInvalidArgument: an expression fails, a size is negative, a grid or block extent is <
/// 1,
///         an argument is unknown, a buffer offset lies outside; the message names the launch and
///         the field ("launches[0].grid[1]: ...").
Result<ResolvedPlan> resolve_plan(const Problem& problem, const Kernel& kernel,
                                  const Workload& workload, const Params& params);

/// The launches of a plan in a language of tiles, one a step.
std::vector<TileLaunch> tile_launches(const ResolvedPlan& plan);

/// The features that the plan asks of a device beyond plain launches, in the form's words:
/// "tensor_maps", "cluster", "cooperative", "pdl", "textures".
std::vector<std::string> features_of(const ResolvedPlan& plan);

/// Substitutes parameters (and specialised dims) in source, macros and entries.
///
/// @errors kInvalidArgument: an undeclared @X@ outside a string or comment, with its place.
Result<RenderedSource> render(const Kernel& kernel, const Workload& workload, const Params& params);

}  // namespace ws
