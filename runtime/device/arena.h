// The memory that a kernel runs on: one shared mapping with every buffer in it, each between guard
// zones. The server fills, poisons, hashes and checks its own mapping; a worker maps the same file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/files.h"
#include "runtime/base/result.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

class Arena {
 public:
  /// Bytes on each side of a buffer that no kernel may touch.
  static constexpr std::size_t kGuardBytes = 4096;

  /// A sealed memory file: neither process can shrink it while the other uses it.
  ///
  /// @param limit_bytes  The limit for all buffers together.
  /// @errors kInvalidArgument: the buffers need more than the limit (names the largest); kIo.
  static Result<std::shared_ptr<Arena>> create(const std::vector<BufferSpec>& buffers,
                                               std::uint64_t limit_bytes);

  /// Why the buffers do not fit into `limit_bytes`, naming the largest; "" when they do.
  static std::string over_limit(const std::vector<BufferSpec>& buffers, std::uint64_t limit_bytes);

  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] std::size_t size() const { return places_.size(); }

  /// The buffer's bytes, without guards.
  [[nodiscard]] std::span<std::byte> buffer(std::size_t index) const;
  /// The guard before (first) and after (second) the buffer.
  [[nodiscard]] std::pair<std::span<std::byte>, std::span<std::byte>> guards(
      std::size_t index) const;

  /// Where the buffer starts in the file.
  [[nodiscard]] std::uint64_t offset(std::size_t index) const { return places_[index].offset; }

  [[nodiscard]] int fd() const { return fd_.get(); }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t padding = 0;  ///< From the buffer's end to the end guard's: belongs to the guard.
  };

  Arena() = default;

  Fd fd_;
  std::byte* base_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::vector<Place> places_;
};

}  // namespace ws
