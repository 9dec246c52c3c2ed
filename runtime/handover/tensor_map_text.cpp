#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/handover/launch_text.h"
#include "runtime/handover/launcher.h"

namespace ws {
namespace {

/// As CUtensorMapDataType counts.
int tensor_map_type(DType type) {
  constexpr std::array kRows = {std::pair{DType::kF16, 6},   std::pair{DType::kF32, 7},
                                std::pair{DType::kF64, 8},   std::pair{DType::kBf16, 9},
                                std::pair{DType::kTf32, 11}, std::pair{DType::kI32, 3},
                                std::pair{DType::kI64, 5}};
  for (const auto& [known, number] : kRows) {
    if (known == type) {
      return number;
    }
  }
  switch (size_of(type)) {
    case 1:
      return 0;
    case 2:
      return 1;
    case 4:
      return 2;
    default:
      return 4;
  }
}

/// "{static_cast<T>(a), static_cast<T>(b)}"
std::string casts(const std::vector<std::string>& values, const std::string& type) {
  std::vector<std::string> cast;
  cast.reserve(values.size());
  for (const std::string& value : values) {
    cast.push_back("static_cast<" + type + ">(" + value + ")");
  }
  return "{" + cpp_list(cast) + "}";
}

}  // namespace

Result<std::string> LaunchText::tensor_map(const TensorMapSpec& map) {
  const ArgSpec* const arg = problem_.find_arg(map.of);
  DType type = map.type.value_or(arg == nullptr ? DType::kF32 : arg->type);
  std::vector<std::string> shape = arg == nullptr ? std::vector<std::string>() : arg->shape;
  for (const ScratchSpec& scratch : kernel_.scratch) {
    if (arg == nullptr && scratch.name == map.of) {
      type = map.type.value_or(scratch.type);
      shape = scratch.shape;
    }
  }
  WS_TRY(const std::string base, buffer(map.of));
  WS_TRY(std::vector<std::string> sizes, cpp_expressions(shape, names_));
  // The driver counts from the innermost dimension; strides of rows without gaps follow from sizes.
  std::vector<std::string> inner(sizes.rbegin(), sizes.rend());
  std::vector<std::string> strides;
  for (std::size_t axis = 1; axis < inner.size(); ++axis) {
    const std::vector<std::string> below(inner.begin(),
                                         inner.begin() + static_cast<std::ptrdiff_t>(axis));
    strides.push_back("(" + cpp_product(below) + " * " + std::to_string(size_of(type)) + ")");
  }
  if (arg != nullptr && arg->strides) {
    WS_TRY(const std::vector<std::string> given, cpp_expressions(*arg->strides, names_));
    for (std::size_t axis = 1; axis < given.size(); ++axis) {
      strides[axis - 1] =
          "(" + given[given.size() - 1 - axis] + " * " + std::to_string(size_of(type)) + ")";
    }
  }
  if (map.shape) {
    WS_TRY(inner, cpp_expressions(*map.shape, names_));
  }
  if (map.strides) {
    WS_TRY(strides, cpp_expressions(*map.strides, names_));
  }
  WS_TRY(const std::vector<std::string> box, cpp_expressions(map.box, names_));
  std::vector<std::string> steps(box.size(), "1");
  if (map.element_strides) {
    WS_TRY(steps, cpp_expressions(*map.element_strides, names_));
  }
  const TensorMapModes& modes = map.modes;
  return "  const CUtensorMap map_" + map.name + " = handover::tensor_map(" +
         std::to_string(tensor_map_type(type)) + ", " + base + ",\n      " +
         casts(inner, "std::uint64_t") + ", " + casts(strides, "std::uint64_t") + ",\n      " +
         casts(box, "std::uint32_t") + ", " + casts(steps, "std::uint32_t") + ", " +
         std::to_string(modes.interleave) + ", " + std::to_string(modes.swizzle) + ", " +
         std::to_string(modes.l2) + ", " + std::to_string(modes.oob) + ");\n";
}

}  // namespace ws
