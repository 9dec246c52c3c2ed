#include "runtime/device/cpu/textures.h"

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/device/cpu/abi.h"

namespace ws::cpu {
namespace {

using cpu_abi::TextureElement;

/// No kernel has such a number by chance.
constexpr std::uint64_t kFirstObject = 0x7e78'7475'7265'0001;

struct PlacedTexture {
  std::array<std::uint64_t, 4> words{};  ///< By TextureWord.
  const char* data = nullptr;
};

std::vector<PlacedTexture>& textures() {
  static std::vector<PlacedTexture> all;
  return all;
}

/// Null: the plan has no such texture.
const PlacedTexture* find_texture(std::uint64_t object) {
  const std::uint64_t index = object - kFirstObject;
  return index < textures().size() ? &textures()[index] : nullptr;
}

TextureElement element_of(DType type) {
  switch (type) {
    case DType::kI8:
      return TextureElement::kI8;
    case DType::kU8:
      return TextureElement::kU8;
    case DType::kI16:
      return TextureElement::kI16;
    case DType::kU16:
      return TextureElement::kU16;
    case DType::kI32:
      return TextureElement::kI32;
    case DType::kU32:
      return TextureElement::kU32;
    case DType::kF16:
      return TextureElement::kF16;
    default:
      return TextureElement::kF32;
  }
}

unsigned kind_of(const RunTexture& texture) {
  const auto dimensions = static_cast<unsigned>(
      1 + (texture.size[1] > 0 ? 1 : 0) + (texture.size[2] > 0 && !texture.modes.layered ? 1 : 0));
  return texture.modes.fetch     ? cpu_abi::kTextureKindFetch
         : texture.modes.layered ? dimensions + cpu_abi::kTextureKindLayered
                                 : dimensions;
}

std::uint64_t modes_of(const RunTexture& texture) {
  const TextureModes& modes = texture.modes;
  const bool as_float = modes.normalized_float || is_float(texture.type);
  const TextureElement read = as_float ? TextureElement::kF32 : element_of(texture.type);
  return static_cast<unsigned>(element_of(texture.type)) << cpu_abi::kTextureStored |
         static_cast<unsigned>(read) << cpu_abi::kTextureRead |
         texture.channels << cpu_abi::kTextureChannels | kind_of(texture) << cpu_abi::kTextureKind |
         modes.address << cpu_abi::kTextureAddress | modes.filter << cpu_abi::kTextureLinear |
         (modes.normalized ? 1U : 0U) << cpu_abi::kTextureNormal;
}

}  // namespace

void set_textures(const RunPlan& plan, const PlacedArena& arena) {
  textures().clear();
  for (const RunTexture& texture : plan.textures) {
    const auto& [width, height, depth] = texture.size;
    textures().push_back(
        {.words = {modes_of(texture), width, std::max(height, 1U), std::max(depth, 1U)},
         .data = arena.at(plan.buffers.at(texture.buffer).low)});
  }
}

std::uint64_t texture_object(std::int32_t index) {
  return kFirstObject + static_cast<std::uint64_t>(index);
}

}  // namespace ws::cpu

// Called from compiled kernels, by the names in imports.def.
extern "C" {

std::uint64_t ws_rt_texture_word(std::uint32_t word, std::uint64_t object);
const char* ws_rt_texture_data(std::uint64_t object);

std::uint64_t ws_rt_texture_word(std::uint32_t word, std::uint64_t object) {
  const ws::cpu::PlacedTexture* const texture = ws::cpu::find_texture(object);
  return texture == nullptr || word >= texture->words.size() ? 0 : texture->words.at(word);
}

const char* ws_rt_texture_data(std::uint64_t object) {
  const ws::cpu::PlacedTexture* const texture = ws::cpu::find_texture(object);
  return texture == nullptr ? nullptr : texture->data;
}

}  // extern "C"
