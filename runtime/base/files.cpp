#include "runtime/base/files.h"

#include <array>
#include <fstream>
#include <system_error>

#include <unistd.h>

namespace ws {

Fd::~Fd() {
  reset();
}

void Fd::reset() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return fail_errno("open", "cannot read " + path.string());
  }
  std::string text;
  std::array<char, 65536> block{};
  while (stream.read(block.data(), block.size()), stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit_bytes) {
      return fail(ErrorCode::kIo, path.string() + " is longer than the limit of " +
                                      std::to_string(limit_bytes) + " bytes");
    }
  }
  return text;
}

Status write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) {
    return fail_errno("write", "cannot write " + path.string());
  }
  return {};
}

std::filesystem::path executable_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace ws
