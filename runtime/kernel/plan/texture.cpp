#include "runtime/kernel/plan/texture.h"

#include <algorithm>
#include <array>

#include "runtime/kernel/expr/evaluate.h"

namespace ws {
namespace {

using Sizes = std::array<std::int64_t, 3>;

// The largest sizes that all GPUs have.
constexpr std::int64_t kMaxFetched = std::int64_t{1} << 27U;
constexpr Sizes kMaxLine = {131072, 0, 0};
constexpr Sizes kMaxPlane = {131072, 65536, 0};
constexpr Sizes kMaxBody = {16384, 16384, 16384};
constexpr Sizes kMaxLayered = {32768, 32768, 2048};

constexpr std::array kTypes = {DType::kF32, DType::kF16, DType::kI32, DType::kU32,
                               DType::kI16, DType::kU16, DType::kI8,  DType::kU8};

std::string digits(std::int64_t value) {
  return std::to_string(value);
}

Status check_type(const TextureSpec& spec, const BufferSpec& buffer, const std::string& path) {
  const std::string type(name_of(buffer.type));
  if (std::ranges::find(kTypes, buffer.type) == kTypes.end()) {
    return bad(path + ".texture", "`" + buffer.name + "` holds " + type +
                                      ", and textures hold f32, f16, i32, u32, i16, u16, i8 or u8");
  }
  const bool integers = !is_float(buffer.type);
  if (spec.modes.normalized_float && (!integers || size_of(buffer.type) > 2)) {
    return bad(path + ".read", "`normalized_float` is for integers of 8 or 16 bits, and `" +
                                   buffer.name + "` holds " + type);
  }
  if (spec.modes.filter != 0 && integers && !spec.modes.normalized_float) {
    return bad(path + ".filter", "`linear` is for floats, and `" + buffer.name + "` holds " + type,
               size_of(buffer.type) <= 2 ? "read it as `normalized_float`, or use `point`"
                                         : "use `point`");
  }
  return {};
}

Sizes limits_of(const TextureSpec& spec) {
  return spec.modes.fetch       ? Sizes{kMaxFetched, 0, 0}
         : spec.modes.layered   ? kMaxLayered
         : !spec.depth.empty()  ? kMaxBody
         : !spec.height.empty() ? kMaxPlane
                                : kMaxLine;
}

Result<std::array<std::uint32_t, 3>> find_size(const TextureSpec& spec, const Bindings& names,
                                               const std::string& path) {
  const bool layered = spec.modes.layered;
  const std::array<const std::string*, 3> texts = {&spec.width, &spec.height,
                                                   layered ? &spec.layers : &spec.depth};
  const std::array<const char*, 3> fields = {".width", ".height", layered ? ".layers" : ".depth"};
  std::array<std::uint32_t, 3> size{};
  for (std::size_t axis = 0; axis < size.size(); ++axis) {
    if (texts.at(axis)->empty()) {
      continue;
    }
    const std::string field = path + fields.at(axis);
    WS_TRY(const std::int64_t extent, evaluate_size(*texts.at(axis), names, field, 1));
    if (const std::int64_t most = limits_of(spec).at(axis); extent > most) {
      return bad(field, "`" + *texts.at(axis) + "` is " + digits(extent) +
                            ", and a texture of this kind has at most " + digits(most));
    }
    size.at(axis) = static_cast<std::uint32_t>(extent);
  }
  return size;
}

/// All texels lie in the buffer, one behind the other.
Status check_reach(const Texture& texture, const BufferSpec& buffer, const std::string& path) {
  if (buffer.span % texture.channels != 0) {
    return bad(path + ".channels", digits(texture.channels) + " does not divide the " +
                                       digits(buffer.span) + " elements of `" + buffer.name + "`");
  }
  std::int64_t texels = 1;
  for (const std::uint32_t extent : texture.size) {
    texels *= std::max<std::int64_t>(extent, 1);  // At most 2^46, by their limits.
  }
  const std::int64_t elements = texels * texture.channels;
  if (elements > buffer.span) {
    return bad(path, "the texture has " + digits(elements) + " elements, and `" + buffer.name +
                         "` has " + digits(buffer.span));
  }
  return {};
}

}  // namespace

Result<Texture> resolve_texture(const TextureSpec& spec, const BufferSpec& buffer, int index,
                                const Bindings& names, const std::string& path) {
  WS_CHECK(check_type(spec, buffer, path));
  Texture texture{
      .buffer = index, .type = buffer.type, .channels = spec.channels, .modes = spec.modes};
  WS_TRY(texture.size, find_size(spec, names, path));
  WS_CHECK(check_reach(texture, buffer, path));
  return texture;
}

}  // namespace ws
