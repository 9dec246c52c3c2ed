#include "runtime/compile/store_file.h"

#include <array>
#include <charconv>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/private_files.h"

namespace ws {
namespace {

constexpr std::string_view kMagic = "warpsmith compile cache 1";
constexpr std::size_t kMaxEntry = std::size_t{128} << 20U;
constexpr std::size_t kFolderDigits = 2;

std::string checksum(std::string_view payload) {
  constexpr std::uint64_t seed = 0x77617270736d6974;
  return std::to_string(fast_hash(payload.data(), payload.size(), seed));
}

/// Takes one line off the front.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

tl::unexpected<Error> damaged(const char* why) {
  return fail(ErrorCode::kInternal, "a damaged entry of the compile cache", {}, why);
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

void put_aside(const std::filesystem::path& path, const struct stat& as_read) {
  struct stat now = {};
  if (::stat(path.c_str(), &now) == 0 && same_file(now, as_read)) {
    std::error_code error;
    std::filesystem::path aside = path;
    std::filesystem::rename(path, aside.replace_extension(kDamagedEnding), error);
  }
}

Result<std::string> read_all(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd, bytes.data() + done, size - done);
    if (got <= 0) {
      return fail_errno("read", "cannot read an entry of the compile cache");
    }
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

std::filesystem::path entry_path(const std::filesystem::path& folder, const std::string& key) {
  return folder / key.substr(0, kFolderDigits) / (key + std::string(kEntryEnding));
}

std::string encode_entry(const std::string& key, const CompileOutcome& outcome) {
  const std::string payload = encode(outcome);
  return std::string(kMagic) + "\n" + key + "\n" + checksum(payload) + "\n" +
         std::to_string(payload.size()) + "\n" + payload;
}

Result<CompileOutcome> decode_entry(const std::string& key, std::string_view bytes) {
  if (take_line(bytes) != kMagic) {
    return damaged("another format");
  }
  if (take_line(bytes) != key) {
    return damaged("another key");
  }
  const std::string_view sum = take_line(bytes);
  const std::string_view size = take_line(bytes);
  if (size != std::to_string(bytes.size())) {
    return damaged("another length");
  }
  if (sum != checksum(bytes)) {
    return damaged("another checksum");
  }
  return decode_compile_outcome(bytes);
}

Status write_entry(const std::filesystem::path& path, std::string_view bytes) {
  constexpr std::size_t unique = 16;
  constexpr mode_t mode = 0600;
  constexpr const char* what = "cannot write to the compile cache";
  // The files here are run later, so they are the user's alone. That it could not be made, the file
  // tells.
  [[maybe_unused]] const std::error_code made = make_private_folder(path.parent_path());
  keep_private(path.parent_path());
  std::filesystem::path unfinished = path;
  unfinished.replace_extension("." + random_hex(unique) + std::string(kUnfinishedEnding));
  const Fd file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.valid()) {
    return fail_errno("open", what);
  }
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0) {
      const auto failed = fail_errno("write", what);
      ::unlink(unfinished.c_str());
      return failed;
    }
    done += static_cast<std::size_t>(written);
  }
  if (::fsync(file.get()) != 0 || ::rename(unfinished.c_str(), path.c_str()) != 0) {
    const auto failed = fail_errno("rename", what);
    ::unlink(unfinished.c_str());
    return failed;
  }
  return {};
}

std::optional<CompileOutcome> read_entry(const std::filesystem::path& path,
                                         const std::string& key) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) {
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  const Result<std::string> bytes =
      size > kMaxEntry ? damaged("too long") : read_all(file.get(), size);
  Result<CompileOutcome> outcome =
      bytes ? decode_entry(key, *bytes) : Result<CompileOutcome>(fail(bytes.error()));
  if (!outcome) {
    log(LogLevel::kWarning, "compile", to_text(outcome.error()) + " file=" + path.string());
    put_aside(path, status);
    return std::nullopt;
  }
  const std::array<timespec, 2> now = {timespec{0, UTIME_NOW}, timespec{0, UTIME_NOW}};
  ::futimens(file.get(), now.data());  // The oldest go first when the cache is full.
  return *std::move(outcome);
}

}  // namespace ws
