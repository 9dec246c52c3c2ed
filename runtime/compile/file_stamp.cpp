#include "runtime/compile/file_stamp.h"

#include <fstream>

#include <sys/stat.h>

#include "runtime/base/files.h"
#include "runtime/base/hash.h"

namespace ws {

Result<std::string> file_stamp(const std::filesystem::path& path, Stamp stamp) {
  if (stamp == Stamp::kContent) {
    constexpr std::size_t most = std::size_t{1} << 30U;  // NVRTC alone has 110 MB.
    WS_TRY(const std::string content, read_file(path, most));
    return path.filename().string() + " " + sha256_hex(content) + "\n";
  }
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return fail_errno("stat", "cannot look at `" + path.string() + "`");
  }
  return path.string() + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
         "\n";
}

Result<std::string> library_stamp(const std::filesystem::path& path, Stamp stamp) {
  WS_TRY(std::string text, file_stamp(path, stamp));
  if (stamp == Stamp::kContent) {
    return text;
  }
  constexpr std::size_t first_page = 4096;
  std::string page(first_page, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(page.data(), static_cast<std::streamsize>(page.size()));
  return text + page;
}

}  // namespace ws
