#include "runtime/device/cuda/worker/textures.h"

#include <algorithm>

namespace ws::cuda {
namespace {

// The largest rows that a texture may read in place (CUDA Programming Guide, technical
// specifications).
constexpr std::uint32_t kMostWidthInPlace = 131072;
constexpr std::uint32_t kMostHeightInPlace = 65000;
constexpr std::uint64_t kMostRowBytesInPlace = 2097120;

/// A CUarray_format.
int format_of(DType type) {
  switch (type) {
    case DType::kU8:
      return 0x01;
    case DType::kU16:
      return 0x02;
    case DType::kU32:
      return 0x03;
    case DType::kI8:
      return 0x08;
    case DType::kI16:
      return 0x09;
    case DType::kI32:
      return 0x0a;
    case DType::kF16:
      return 0x10;
    default:
      return 0x20;
  }
}

std::uint64_t row_bytes(const RunTexture& texture) {
  return std::uint64_t{texture.size[0]} * texture.channels * size_of(texture.type);
}

std::uint64_t rows_of(const RunTexture& texture) {
  return std::max(texture.size[1], 1U);
}

std::uint64_t layers_of(const RunTexture& texture) {
  return std::max(texture.size[2], 1U);
}

bool is_plane(const RunTexture& texture) {
  return texture.size[1] > 0 && texture.size[2] == 0 && texture.size[0] <= kMostWidthInPlace &&
         texture.size[1] <= kMostHeightInPlace && row_bytes(texture) <= kMostRowBytesInPlace;
}

CuTextureForm form_of(const RunTexture& texture) {
  const TextureModes& modes = texture.modes;
  CuTextureForm form;
  form.address.fill(static_cast<int>(modes.address));
  form.filter = static_cast<int>(modes.filter);
  const bool as_integer = !is_float(texture.type) && !modes.normalized_float;
  form.flags =
      (as_integer ? kCuTextureReadAsInteger : 0U) | (modes.normalized ? kCuTextureNormalized : 0U);
  return form;
}

struct Alignments {
  std::uint64_t address = 1;
  std::uint64_t row = 1;
};

Result<Alignments> alignments_of(Context& context) {
  Driver& driver = context.driver();
  CuDevice device = 0;
  int address = 0;
  int row = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGet, &device, context.index()));
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetAttribute, &address, kCuTextureAlignment, device));
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetAttribute, &row, kCuTexturePitchAlignment, device));
  return Alignments{static_cast<std::uint64_t>(address), static_cast<std::uint64_t>(row)};
}

/// The launches before which a copy of texture `index` is made.
std::vector<std::size_t> copied_before(const RunPlan& plan, std::int32_t index) {
  const bool fixed =
      plan.buffers.at(plan.textures.at(static_cast<std::size_t>(index)).buffer).given;
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const std::vector<RunArg>& args = plan.steps[i].args;
    const bool takes = std::ranges::find(args, index, &RunArg::texture) != args.end();
    if (takes && !(fixed && !steps.empty())) {
      steps.push_back(i);
    }
  }
  return steps;
}

}  // namespace

Status DeviceTextures::choose_source(Context& context, const RunTexture& texture, Made& made,
                                     CuTextureSource& source) {
  Driver& driver = context.driver();
  const int format = format_of(texture.type);
  WS_TRY(const Alignments need, alignments_of(context));
  const bool placed = made.buffer % need.address == 0;
  if (texture.modes.fetch) {
    const std::uint64_t bytes = row_bytes(texture);
    if (!placed) {
      WS_TRY(made.linear, allocate_pages(driver, bytes));
    }
    source.type = kCuSourceLinear;
    source.linear = {placed ? made.buffer : made.linear.get(), format, texture.channels, bytes};
    return {};
  }
  if (placed && is_plane(texture) && row_bytes(texture) % need.row == 0) {
    source.type = kCuSourceRows;
    source.rows = {made.buffer,     format,          texture.channels,
                   texture.size[0], texture.size[1], row_bytes(texture)};
    return {};
  }
  const CuArrayForm form{.width = texture.size[0],
                         .height = texture.size[1],
                         .depth = texture.size[2],
                         .format = format,
                         .channels = texture.channels,
                         .flags = texture.modes.layered ? kCuArrayLayered : 0U};
  CuArray array = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuArray3DCreate, &array, &form));
  made.array = Array(driver, array);
  source.type = kCuSourceArray;
  source.array = array;
  return {};
}

Result<DeviceTextures> DeviceTextures::create(
    Context& context, const RunPlan& plan,
    const std::function<CuDevicePtr(std::uint64_t)>& address_of) {
  DeviceTextures all;
  all.textures_ = plan.textures;
  for (const RunTexture& texture : plan.textures) {
    Made made;
    made.buffer = address_of(plan.buffers.at(texture.buffer).low);
    CuTextureSource source;
    WS_CHECK(choose_source(context, texture, made, source));
    const CuTextureForm form = form_of(texture);
    CuTexObject object = 0;
    WS_CHECK(WS_CU_CALL(context.driver(), cuTexObjectCreate, &object, &source, &form, nullptr));
    made.object = TextureObject(context.driver(), object);
    if (made.array.valid() || made.linear.bytes > 0) {
      made.steps = copied_before(plan, static_cast<std::int32_t>(all.made_.size()));
    }
    all.made_.push_back(std::move(made));
  }
  return all;
}

Status DeviceTextures::renew(Context& context, std::size_t step) const {
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const Made& made = made_[i];
    if (std::ranges::find(made.steps, step) == made.steps.end()) {
      continue;
    }
    WS_CHECK(made.array.valid() ? copy_to_array(context, textures_[i], made)
                                : WS_CU_CALL(context.driver(), cuMemcpyDtoDAsync, made.linear.get(),
                                             made.buffer, made.linear.bytes, context.stream()));
  }
  return {};
}

Status DeviceTextures::copy_to_array(Context& context, const RunTexture& texture,
                                     const Made& made) {
  CuCopy3D copy;
  copy.from.memory = kCuMemoryDevice;
  copy.from.device = made.buffer;
  copy.from.row_bytes = row_bytes(texture);
  copy.from.rows = rows_of(texture);
  copy.to.memory = kCuMemoryArray;
  copy.to.array = made.array.get();
  copy.width_bytes = row_bytes(texture);
  copy.height = rows_of(texture);
  copy.depth = layers_of(texture);
  return WS_CU_CALL(context.driver(), cuMemcpy3DAsync, &copy, context.stream());
}

Status DeviceTextures::scrub(Context& context, std::uint32_t word) const {
  for (const Made& made : made_) {
    if (made.linear.bytes > 0) {
      WS_CHECK(overwrite(context.driver(), context.stream(), made.linear, 0, word));
    }
  }
  return {};
}

}  // namespace ws::cuda
