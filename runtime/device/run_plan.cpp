#include "runtime/device/run_plan.h"

#include "runtime/compile/image_json.h"

namespace ws {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorMapModes, interleave, swizzle, l2, oob)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTensorMap, offset, type, shape, strides, box, element_strides,
                                   modes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunArg, pointer, null, value, low, high, tensor_map)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunStep, entry, grid, block, dynamic_shared_bytes, cluster,
                                   cooperative, pdl, args)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRange, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSymbol, symbol, image_offset, arena_offset, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPlan, arena_bytes, buffers, steps, symbols, tensor_maps)

std::string encode_load(const Image& image, const RunPlan& plan) {
  const Json json = {{"image", image}, {"plan", plan}};
  std::string frame = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  frame.push_back('\0');
  return frame + image.blob;
}

Result<Load> decode_load(std::string_view frame) {
  const std::size_t end = frame.find('\0');
  if (end == std::string_view::npos) {
    return fail(ErrorCode::kInternal, "a load frame without an image");
  }
  const Json json = Json::parse(frame.substr(0, end), nullptr, /*allow_exceptions=*/false);
  Load load;
  try {
    json.at("image").get_to(load.image);
    json.at("plan").get_to(load.plan);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, "a malformed load frame", {}, error.what());
  }
  load.image.blob = frame.substr(end + 1);
  return load;
}

}  // namespace ws
