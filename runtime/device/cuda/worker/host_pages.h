// Memory of the host that a device copies to and from.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/device/cuda/driver/handles.h"

namespace ws::cuda {

/// Pinned pages: the device copies them by itself.
using Pinned = Owned<void*, &DriverTable::cuMemHostUnregister>;

/// Nothing is pinned where the system refuses so much; the driver copies all the same, but slower.
Pinned pin(const Driver& driver, std::span<std::byte> pages);

/// Pages that hold nothing else: a kernel may reach everything that is pinned.
class HostPages {
 public:
  HostPages() = default;

  /// Zeros, pinned where that is possible; at least one byte. @errors kIo: the system has not that
  /// much memory.
  static Result<HostPages> create(const Driver& driver, std::size_t bytes);

  HostPages(HostPages&& other) noexcept
      : bytes_(std::exchange(other.bytes_, {})),
        pinned_(std::move(other.pinned_)) {}

  HostPages& operator=(HostPages&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    pinned_ = std::move(other.pinned_);
    return *this;
  }

  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  ~HostPages();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  Pinned pinned_;
};

}  // namespace ws::cuda
