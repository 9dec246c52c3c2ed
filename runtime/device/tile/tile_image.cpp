#include "runtime/device/tile/tile_image.h"

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"

namespace ws {

// nlohmann finds these by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileArg, kind, name, type, value, number, shape, strides, span,
                                   given, writable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileProgramForm::Tensor, parameter, buffer, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileProgramForm::Scalar, parameter, type, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileProgramForm, entry, program, lines, tensors, scalars)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileBuffer, spec, flat, step, arg)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileImage, language, buffers, programs, steps, counts)

namespace {

constexpr std::string_view kMagic = "warpsmith tiles\n";

}  // namespace

std::string encode(const TileImage& image) {
  return std::string(kMagic) + json_line(nlohmann::json(image));
}

bool is_tile_image(std::string_view blob) {
  return blob.starts_with(kMagic);
}

Result<TileImage> decode_tile_image(std::string_view blob) {
  if (!is_tile_image(blob)) {
    return fail(ErrorCode::kInternal, "an image of no kernel of tiles");
  }
  return parse_value<TileImage>(blob.substr(kMagic.size()), "image of a kernel of tiles");
}

}  // namespace ws
