#include "runtime/device/arena.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ws {
namespace {

/// The alignment that cudaMalloc promises.
constexpr std::uint64_t kAlignment = 256;

std::uint64_t aligned(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

std::string Arena::over_limit(const std::vector<BufferSpec>& buffers, std::uint64_t limit_bytes) {
  double total = 0;  // Sizes may be near 2^63: their sum must not wrap.
  const BufferSpec* largest = nullptr;
  for (const BufferSpec& buffer : buffers) {
    const double bytes =
        static_cast<double>(buffer.span) * static_cast<double>(size_of(buffer.type));
    total += bytes;
    if (largest == nullptr || buffer.span > largest->span) {
      largest = &buffer;
    }
  }
  if (total > static_cast<double>(limit_bytes)) {
    constexpr double kMiB = 1 << 20U;
    return "the buffers need " + std::to_string(static_cast<std::int64_t>(total / kMiB)) +
           " MiB, the limit is " + std::to_string(limit_bytes >> 20U) + " MiB; the largest is `" +
           largest->name + "`";
  }
  return {};
}

Result<std::shared_ptr<Arena>> Arena::create(const std::vector<BufferSpec>& buffers,
                                             std::uint64_t limit_bytes) {
  if (std::string reason = over_limit(buffers, limit_bytes); !reason.empty()) {
    return fail(ErrorCode::kInvalidArgument, std::move(reason), "choose a smaller workload");
  }
  std::shared_ptr<Arena> arena(new Arena());
  std::uint64_t at = 0;
  for (const BufferSpec& buffer : buffers) {
    Place place;
    place.offset = at + kGuardBytes;
    place.bytes = buffer.bytes();
    place.padding = aligned(place.bytes) - place.bytes;
    at = place.offset + place.bytes + place.padding + kGuardBytes;
    arena->places_.push_back(place);
  }
  arena->bytes_ = std::max<std::uint64_t>(at, kGuardBytes);
  arena->fd_ = Fd(::memfd_create("warpsmith-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!arena->fd_.valid() || ::ftruncate(arena->fd(), static_cast<off_t>(arena->bytes_)) != 0) {
    return fail_errno("memfd_create", "no memory for the buffers");
  }
  if (::fcntl(arena->fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail_errno("fcntl", "the buffers cannot be sealed");
  }
  void* memory = ::mmap(nullptr, arena->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd(), 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "no memory for the buffers");
  }
  arena->base_ = static_cast<std::byte*>(memory);
  return arena;
}

Arena::~Arena() {
  if (base_ != nullptr) {
    ::munmap(base_, bytes_);
  }
}

std::span<std::byte> Arena::buffer(std::size_t index) const {
  const Place& place = places_[index];
  return {base_ + place.offset, place.bytes};
}

std::pair<std::span<std::byte>, std::span<std::byte>> Arena::guards(std::size_t index) const {
  const Place& place = places_[index];
  return {{base_ + place.offset - kGuardBytes, kGuardBytes},
          {base_ + place.offset + place.bytes, place.padding + kGuardBytes}};
}

}  // namespace ws
