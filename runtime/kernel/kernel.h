// A kernel says how: device source, macros, and a declarative plan (launches, scratch, parameters).
// Immutable, named by the hash of its JSON as sent (with problem_id, without name).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/problem.h"

namespace ws {

/// How a texture is read. Address modes and filters are the driver's own numbers.
struct TextureModes {
  std::uint32_t address = 1;      ///< 0 wrap, 1 clamp, 2 mirror, 3 border.
  std::uint32_t filter = 0;       ///< 0 point, 1 linear.
  bool normalized = false;        ///< Coordinates from 0 to 1 stand for the whole texture.
  bool normalized_float = false;  ///< Integers are read as floats from 0, or -1, to 1.
  bool fetch = false;             ///< Linear memory, for tex1Dfetch() only.
  bool layered = false;           ///< The last size counts layers.

  bool operator==(const TextureModes&) const = default;
};

/// A buffer as a texture. A size that is left out is empty.
struct TextureSpec {
  std::string width = {};  ///< In texels, as height and depth.
  std::string height = {};
  std::string depth = {};
  std::string layers = {};
  std::uint32_t channels = 1;  ///< Elements of a texel: 1, 2 or 4.
  TextureModes modes = {};
};

/// One argument of a launch, as written: a name, a typed value, a buffer with offset, null, the
/// members of a struct, or a texture.
struct LaunchArgSpec {
  enum class Kind : std::uint8_t { kName, kValue, kBuffer, kNull, kStruct, kTexture };
  Kind kind = Kind::kName;
  /// kName: buffer, dim, scalar, parameter, tensor map; kBuffer, kTexture: the buffer.
  std::string name;
  std::string value;                        ///< kValue: the expression.
  DType type = DType::kI32;                 ///< kValue.
  std::string offset;                       ///< kBuffer: expression, in elements.
  std::vector<LaunchArgSpec> members = {};  ///< kStruct: names of numbers, and values.
  /// In a shader language: what it is called there; empty: as `name`.
  std::string as = {};
  TextureSpec texture = {};  ///< kTexture.
};

/// A launch repeats for each value of a variable: 0 to count - 1.
struct RepeatSpec {
  std::string var;
  std::string count;  ///< Expression, over the variables of the repeats around it too.
};

struct LaunchSpec {
  std::string entry;              ///< C++ name expression, before @NAME@ substitution.
  std::vector<std::string> grid;  ///< One to three expressions, x first.
  std::vector<std::string> block;
  std::string shared_bytes = "0";  ///< Dynamic shared memory.
  std::vector<LaunchArgSpec> args;
  std::vector<std::string> cluster;  ///< Blocks of a cluster, x first; empty: none.
  bool cooperative = false;          ///< All blocks are on the device at once.
  bool pdl = false;                  ///< May start before the launch ahead of it has ended.
  std::vector<RepeatSpec> repeats;   ///< The outermost first; empty: one launch.
  std::string num_warps = "4";       ///< Warps of a block, in a language of tiles.
  std::string num_stages = "3";      ///< Stages that its compiler may pipeline loads over.
};

struct ScratchSpec {
  std::string name;
  DType type = DType::kF32;
  std::vector<std::string> shape;
  bool zero = false;  ///< Zeros before the first launch, in the time of the kernel.
};

struct SymbolSpec {
  std::string name;  ///< The __constant__ or __device__ variable.
  std::string of;    ///< The argument it is filled from.
};

/// How a tensor map lays out and fetches: each number is the driver's own, and the place of its
/// word in the form's list ("none", "32B", "64B", "128B" of a swizzle).
struct TensorMapModes {
  std::uint32_t interleave = 0;
  std::uint32_t swizzle = 0;
  std::uint32_t l2 = 0;   ///< Promotion: bytes that a fetch brings at least.
  std::uint32_t oob = 0;  ///< The value that is read outside: 0 zeros, 1 NaN.
};

/// A descriptor for the tensor memory accelerator, made on the host. Innermost dimension first.
struct TensorMapSpec {
  std::string name;
  std::string of;                                   ///< A buffer.
  std::optional<DType> type;                        ///< Default: the buffer's.
  std::optional<std::vector<std::string>> shape;    ///< In elements; default: the buffer's.
  std::optional<std::vector<std::string>> strides;  ///< In bytes, of all but the innermost.
  std::vector<std::string> box;
  std::optional<std::vector<std::string>> element_strides;  ///< Default: ones.
  TensorMapModes modes;
};

/// A choice of tuning parameters: name -> value.
using Params = Bindings;

struct Kernel {
  std::string id;  ///< krn_<name>_<hash>
  std::string name;
  std::string problem_id;
  std::string parent;  ///< Kernel id; empty for a root. Not part of the hash.
  std::string language = "cuda";
  std::string source;
  std::string macros;
  std::vector<LaunchSpec> launches;
  std::vector<ScratchSpec> scratch;
  std::vector<SymbolSpec> symbols;
  std::vector<TensorMapSpec> tensor_maps;
  std::map<std::string, std::vector<std::int64_t>> params;
  Params defaults;  ///< A value for every parameter (the first listed one where not sent).
  std::vector<std::string> constraints;
  std::vector<std::string> options;
  std::map<std::string, std::string> headers;  ///< Name as included -> text.
  std::vector<std::string> specialize;         ///< Dims compiled in as constants through @dim@.
  std::string json;                            ///< Canonical text: key-sorted, as sent.
};

}  // namespace ws
