// Whole files, and a descriptor that closes itself.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/result.h"

namespace ws {

/// Owns a file descriptor; closes it at the end.
class Fd {
 public:
  Fd() = default;

  explicit Fd(int fd)
      : fd_(fd) {}

  Fd(Fd&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}

  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd();

  [[nodiscard]] int get() const { return fd_; }

  [[nodiscard]] bool valid() const { return fd_ >= 0; }

  int release() { return std::exchange(fd_, -1); }

  void reset();

 private:
  int fd_ = -1;
};

/// @errors kIo: not readable, or longer than `limit_bytes`.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t limit_bytes = std::size_t{64} << 20U);

/// Replaces the file. @errors kIo.
Status write_file(const std::filesystem::path& path, std::string_view text);

/// The running executable; the plug-in and the shared libraries lie beside it.
std::filesystem::path executable_path();

}  // namespace ws
