// Arrays and texture objects of the fake driver.
#include <algorithm>
#include <cstring>

#include "tests/support/fake_cuda/fake_cuda.h"

namespace ws::fake_cuda {
namespace {

/// Bytes of an element, by its CUarray_format.
std::size_t bytes_of(int format) {
  switch (format) {
    case 0x01:
    case 0x08:
      return 1;
    case 0x02:
    case 0x09:
    case 0x10:
      return 2;
    default:
      return 4;
  }
}

}  // namespace

CuResult cuArray3DCreate(CuArray* array, const CuArrayForm* form) {
  const std::size_t texels =
      form->width * std::max<std::size_t>(form->height, 1) * std::max<std::size_t>(form->depth, 1);
  *array = handle_of<CuArray>(new ArrayRecord{
      *form, std::vector<unsigned char>(texels * form->channels * bytes_of(form->format))});
  ++driver().textures;
  return driver().sticky;
}

CuResult cuArrayDestroy(CuArray array) {
  delete object_of<ArrayRecord>(array);
  --driver().textures;
  return driver().sticky;
}

/// From device memory without gaps to a whole array, as this project's only use is.
CuResult cuMemcpy3DAsync(const CuCopy3D* copy, CuStream) {
  auto* array = object_of<ArrayRecord>(copy->to.array);
  const bool whole = copy->from.memory == kCuMemoryDevice && copy->to.memory == kCuMemoryArray &&
                     copy->from.row_bytes == copy->width_bytes && copy->from.rows == copy->height &&
                     copy->width_bytes * copy->height * copy->depth == array->bytes.size();
  if (!whole) {
    return 1;
  }
  const auto* from = reinterpret_cast<const unsigned char*>(copy->from.device);
  return enqueue([array, from] {
    ++driver().ticks;
    ++driver().array_copies;
    std::copy_n(from, array->bytes.size(), array->bytes.begin());
    return kCuSuccess;
  });
}

CuResult cuTexObjectCreate(CuTexObject* object, const CuTextureSource* source,
                           const CuTextureForm* form, const void*) {
  const bool in_place = source->type != kCuSourceArray;
  const std::size_t alignment = source->type == kCuSourceRows ? 32 : 1;
  if (in_place && (source->linear.address % 512 != 0 || source->rows.row_bytes % alignment != 0)) {
    return 1;
  }
  *object = handle_of<CuTexObject>(new TextureRecord{*source, *form});
  ++driver().textures;
  return driver().sticky;
}

CuResult cuTexObjectDestroy(CuTexObject object) {
  delete object_of<TextureRecord>(object);
  --driver().textures;
  return driver().sticky;
}

}  // namespace ws::fake_cuda
