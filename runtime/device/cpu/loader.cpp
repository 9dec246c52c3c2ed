#include "runtime/device/cpu/loader.h"

#include <cstring>
#include <utility>

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
      return fail(ErrorCode::kInternal, "an image wants an unknown function: " + name);
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
    if (entry.thread_offset >= image.rw_offset || entry.block_offset >= image.rw_offset) {
      return false;
    }
  }
  for (const ImageSymbol& symbol : image.symbols) {
    if (symbol.offset > image.blob.size() || image.blob.size() - symbol.offset < symbol.bytes) {
      return false;
    }
  }
  return true;
}

}  // namespace

LoadedImage::LoadedImage(LoadedImage&& other) noexcept {
  *this = std::move(other);
}

LoadedImage& LoadedImage::operator=(LoadedImage&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(rw_offset_, other.rw_offset_);
  std::swap(initial_data_, other.initial_data_);
  return *this;
}

LoadedImage::~LoadedImage() {
  if (base_ != nullptr) {
    ::munmap(base_, bytes_);
  }
}

Result<LoadedImage> LoadedImage::load(const Image& image) {
  if (image.rw_offset % kPage != 0 || image.rw_offset > image.blob.size() ||
      !entries_lie_inside(image)) {
    return fail(ErrorCode::kInternal, "an image whose parts do not fit together");
  }
  LoadedImage loaded;
  const std::size_t bytes = (image.blob.size() + kPage - 1) / kPage * kPage + kPage;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "no memory for the kernel's code");
  }
  loaded.base_ = static_cast<char*>(memory);
  loaded.bytes_ = bytes;
  loaded.rw_offset_ = image.rw_offset;
  std::memcpy(loaded.base_, image.blob.data(), image.blob.size());
  WS_CHECK(patch(image, loaded.base_));
  if (::mprotect(loaded.base_, image.rw_offset, PROT_READ | PROT_EXEC) != 0) {
    return fail_errno("mprotect", "the kernel's code cannot be made executable");
  }
  loaded.initial_data_.assign(loaded.base_ + image.rw_offset, image.blob.size() - image.rw_offset);
  return loaded;
}

void LoadedImage::restore_data() {
  std::memcpy(base_ + rw_offset_, initial_data_.data(), initial_data_.size());
}

}  // namespace ws::cpu
