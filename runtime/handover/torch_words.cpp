#include "runtime/handover/torch_words.h"

#include <array>
#include <cstddef>

namespace ws {
namespace {

struct TorchRow {
  std::string_view python;
  std::string_view scalar;
};

/// In the order of DType.
constexpr std::array<TorchRow, 16> kTorchTypes = {{{"float64", "at::kDouble"},
                                                   {"float32", "at::kFloat"},
                                                   {"float32", "at::kFloat"},
                                                   {"float16", "at::kHalf"},
                                                   {"bfloat16", "at::kBFloat16"},
                                                   {"float8_e4m3fn", "at::kFloat8_e4m3fn"},
                                                   {"float8_e5m2", "at::kFloat8_e5m2"},
                                                   {"int64", "at::kLong"},
                                                   {"int32", "at::kInt"},
                                                   {"int16", "at::kShort"},
                                                   {"int8", "at::kChar"},
                                                   {"uint64", "at::kUInt64"},
                                                   {"uint32", "at::kUInt32"},
                                                   {"uint16", "at::kUInt16"},
                                                   {"uint8", "at::kByte"},
                                                   {"bool", "at::kBool"}}};

}  // namespace

std::string_view torch_type(DType type) {
  return kTorchTypes.at(static_cast<std::size_t>(type)).python;
}

std::string_view torch_scalar(DType type) {
  return kTorchTypes.at(static_cast<std::size_t>(type)).scalar;
}

}  // namespace ws
