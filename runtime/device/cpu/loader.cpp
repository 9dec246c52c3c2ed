#include "runtime/device/cpu/loader.h"

#include <cstring>

#include <sys/mman.h>

#include "runtime/device/cpu/runtime.h"

namespace ws::cpu {
namespace {

constexpr std::uint64_t kPage = 4096;

Status patch(const Image& image, char* base) {
  const auto store = [&](std::uint64_t slot, std::uint64_t value) -> Status {
    if (slot > image.blob.size() || image.blob.size() - slot < sizeof value) {
      return fail(ErrorCode::kInternal, "an image patches memory outside itself");
    }
    std::memcpy(base + slot, &value, sizeof value);
    return {};
  };
  for (const auto& [slot, name] : image.imports) {
    void* address = import_address(name);
    if (address == nullptr) {
      return fail(ErrorCode::kInternal, "an image needs an unknown function: " + name);
    }
    WS_CHECK(store(slot, reinterpret_cast<std::uint64_t>(address)));
  }
  for (const auto& [slot, target] : image.rebases) {
    WS_CHECK(store(slot, reinterpret_cast<std::uint64_t>(base) + target));
  }
  return {};
}

bool entries_lie_inside(const Image& image) {
  for (const CompiledEntry& entry : image.entries) {
    if (entry.thread_offset >= image.ro_offset || entry.block_offset >= image.ro_offset ||
        entry.phases.turn_offset >= image.ro_offset ||
        entry.phases.rows_offset >= image.ro_offset) {
      return false;
    }
  }
  for (const ImageSymbol& symbol : image.symbols) {
    if (symbol.offset < image.rw_offset || symbol.offset > image.blob.size() ||
        image.blob.size() - symbol.offset < symbol.bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<LoadedImage> LoadedImage::load(const Image& image, Region& region) {
  if (image.ro_offset % kPage != 0 || image.rw_offset % kPage != 0 ||
      image.ro_offset > image.rw_offset || image.rw_offset > image.blob.size() ||
      !entries_lie_inside(image)) {
    return fail(ErrorCode::kInternal, "an image whose parts do not fit together");
  }
  LoadedImage loaded;
  WS_TRY(loaded.base_, region.take(image.blob.size()));
  loaded.code_bytes_ = image.ro_offset;
  loaded.rw_offset_ = image.rw_offset;
  std::memcpy(loaded.base_, image.blob.data(), image.blob.size());
  WS_CHECK(patch(image, loaded.base_));
  if (::mprotect(loaded.base_, image.ro_offset, PROT_READ | PROT_EXEC) != 0 ||
      ::mprotect(loaded.base_ + image.ro_offset, image.rw_offset - image.ro_offset, PROT_READ) !=
          0) {
    return fail_errno("mprotect", "the kernel's code cannot be made executable");
  }
  loaded.initial_data_.assign(loaded.base_ + image.rw_offset, image.blob.size() - image.rw_offset);
  return loaded;
}

void LoadedImage::restore_data() {
  std::memcpy(base_ + rw_offset_, initial_data_.data(), initial_data_.size());
}

bool LoadedImage::as_at_first(std::uint64_t offset, std::uint64_t bytes) const {
  return std::memcmp(base_ + offset, initial_data_.data() + (offset - rw_offset_), bytes) == 0;
}

}  // namespace ws::cpu
