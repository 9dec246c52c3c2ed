#include "runtime/device/run_plan.h"

#include "runtime/base/message.h"
#include "runtime/compile/image_json.h"

namespace ws {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorMapModes, interleave, swizzle, l2, oob)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTensorMap, offset, type, shape, strides, box, element_strides,
                                   modes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunArg, pointer, null, value, low, high, tensor_map, bytes,
                                   texture)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextureModes, address, filter, normalized, normalized_float,
                                   fetch, layered)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTexture, buffer, type, channels, size, modes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunStep, entry, grid, block, dynamic_shared_bytes, cluster,
                                   cooperative, pdl, args)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRange, low, high, given, zero, rotation_step, digested, type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSymbol, symbol, image_offset, arena_offset, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPlan, arena_bytes, buffers, steps, symbols, tensor_maps,
                                   textures)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Load, image, plan)

std::string encode_load(const Image& image, const RunPlan& plan) {
  return encode_message(nlohmann::json{{"image", image}, {"plan", plan}}, {image.blob});
}

Result<Load> decode_load(std::string_view frame) {
  const MessageParts parts = split_message(frame);
  if (!parts.blobs) {
    return fail(ErrorCode::kInternal, "a load frame without an image");
  }
  WS_TRY(Load load, parse_value<Load>(parts.json, "load frame"));
  load.image.blob = *parts.blobs;
  return load;
}

}  // namespace ws
