// An Image in memory, ready to run.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/compile/compile.h"

namespace ws::cpu {

class LoadedImage {
 public:
  LoadedImage() = default;
  LoadedImage(LoadedImage&& other) noexcept;
  LoadedImage& operator=(LoadedImage&& other) noexcept;
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;
  ~LoadedImage();

  /// Maps, patches and protects. @errors kInternal: an offset outside the image, an unknown import;
  /// kIo: no memory.
  static Result<LoadedImage> load(const Image& image);

  [[nodiscard]] char* base() const { return base_; }

  [[nodiscard]] std::uint64_t code_bytes() const { return rw_offset_; }

  /// Address of an offset that the image names.
  [[nodiscard]] void* at(std::uint64_t offset) const { return base_ + offset; }

  /// Puts the writable part back to its first state: no launch sees what an earlier one left in
  /// `__device__` variables.
  void restore_data();

 private:
  char* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t rw_offset_ = 0;
  std::string initial_data_;
};

}  // namespace ws::cpu
