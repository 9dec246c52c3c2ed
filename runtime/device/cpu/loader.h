// An Image in memory, ready to run.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/compile/compile.h"
#include "runtime/device/cpu/region.h"

namespace ws::cpu {

class LoadedImage {
 public:
  /// Maps, patches and protects: code can only be run, constants only be read.
  /// @param region  Holds the memory, and outlives the image.
  /// @errors kInternal: an offset outside the image, an unknown import; kIo: no memory.
  static Result<LoadedImage> load(const Image& image, Region& region);

  [[nodiscard]] char* base() const { return base_; }

  [[nodiscard]] std::uint64_t code_bytes() const { return code_bytes_; }

  /// Address of an offset that the image names.
  [[nodiscard]] void* at(std::uint64_t offset) const { return base_ + offset; }

  /// The writable part.
  [[nodiscard]] char* data() const { return base_ + rw_offset_; }

  [[nodiscard]] std::uint64_t data_bytes() const { return initial_data_.size(); }

  /// Puts the writable part back to its first state: no launch sees what an earlier one left in
  /// `__device__` variables.
  void restore_data();

  /// False for a place in the writable part whose contents are not the first ones.
  [[nodiscard]] bool as_at_first(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  LoadedImage() = default;

  char* base_ = nullptr;
  std::uint64_t code_bytes_ = 0;
  std::uint64_t rw_offset_ = 0;
  std::string initial_data_;
};

}  // namespace ws::cpu
