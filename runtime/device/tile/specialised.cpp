#include "runtime/device/tile/specialised.h"

#include <cmath>
#include <limits>

namespace ws {
namespace {

constexpr std::int64_t kAligned = 16;  // Bytes of an address, or of what a number is a multiple.

/// A value of JSON, as Python's reader takes it.
std::string constant_text(const TileArg& arg) {
  switch (arg.kind) {
    case TileArg::Kind::kInteger:
      return arg.type == DType::kBool ? (arg.value != 0 ? "true" : "false")
                                      : std::to_string(arg.value);
    case TileArg::Kind::kFloat: {
      const double real = arg.real();
      const bool whole = arg.number.find_first_of(".en") == std::string::npos;
      return std::isnan(real)   ? "NaN"
             : std::isinf(real) ? (real < 0 ? "-Infinity" : "Infinity")
             : whole            ? arg.number + ".0"
                                : arg.number;
    }
    case TileArg::Kind::kTensor:
    case TileArg::Kind::kDescriptor:
    case TileArg::Kind::kNull:
      break;
  }
  return "null";
}

/// The types that Triton's launcher gives to Python's numbers; what a plan says of 64 bits counts.
std::string_view number_type(const TileArg& arg) {
  if (arg.kind == TileArg::Kind::kFloat) {
    return arg.type == DType::kF64 ? "f64" : "f32";
  }
  if (arg.type == DType::kU64) {
    return "u64";
  }
  const bool wide = arg.value < std::numeric_limits<std::int32_t>::min() ||
                    arg.value > std::numeric_limits<std::int32_t>::max();
  return arg.type == DType::kBool ? "bool" : wide || arg.type == DType::kI64 ? "i64" : "i32";
}

std::string argument_line(const TileArg& arg, bool constant) {
  if (constant || arg.kind == TileArg::Kind::kNull) {
    return "constant:" + constant_text(arg);
  }
  if (arg.kind == TileArg::Kind::kTensor) {
    // Buffers begin at multiples of 16, and so does what lies so far behind.
    const std::int64_t bytes = arg.value * static_cast<std::int64_t>(size_of(arg.type));
    return "buffer:" + std::string(name_of(arg.type)) + "=" + (bytes % kAligned == 0 ? "16" : "");
  }
  const bool whole = arg.kind == TileArg::Kind::kInteger && arg.type != DType::kBool;
  return "number:" + std::string(number_type(arg)) + "=" +
         (whole && arg.value == 1              ? "1"
          : whole && arg.value % kAligned == 0 ? "16"
                                               : "");
}

}  // namespace

std::vector<std::string> specialised(const lift::tile::File& file,
                                     const lift::tile::Function& kernel, const TileLaunch& launch) {
  std::vector<std::string> lines;
  lines.reserve(launch.args.size() + 2);
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    lines.push_back(argument_line(launch.args[i],
                                  lift::tile::is_constant_parameter(file, kernel.parameters[i])));
  }
  lines.push_back(std::to_string(launch.num_warps));
  lines.push_back(std::to_string(launch.num_stages));
  return lines;
}

}  // namespace ws
