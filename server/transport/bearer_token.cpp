#include "server/transport/bearer_token.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"

namespace ws::server {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 512;
constexpr const char* kVariable = "WARPSMITH_TOKEN";
constexpr const char* kMakeOne = "make one with: openssl rand -hex 32";

bool is_token_character(char c) {
  return is_word(c) || std::string_view("-.~+/=").find(c) != std::string_view::npos;
}

/// In a time that depends on the lengths only.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  volatile unsigned different = a.size() == b.size() ? 0U : 1U;  // No compiler leaves early.
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    different = different | static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return different == 0;
}

std::string_view without_line_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of("\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// Looks at the open file: what lies at the path may be another one by then.
Status check_private(int file, const std::string& path) {
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  struct stat status{};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalidArgument, "the token file " + path + " is not a file");
  }
  if ((status.st_mode & kOthers) != 0) {
    return fail(ErrorCode::kInvalidArgument,
                "users other than its owner may use the token file " + path, "chmod 600 " + path);
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return fail(ErrorCode::kInvalidArgument, "the token file " + path + " belongs to another user",
                "chown it to the user that runs the server");
  }
  return {};
}

}  // namespace

Result<BearerToken> BearerToken::parse(std::string text, const std::string& origin) {
  if (text.size() < kShortest || text.size() > kLongest) {
    return fail(ErrorCode::kInvalidArgument,
                "the token in " + origin + " has " + std::to_string(text.size()) +
                    " characters; it must have " + std::to_string(kShortest) + " to " +
                    std::to_string(kLongest),
                kMakeOne);
  }
  if (!std::all_of(text.begin(), text.end(), is_token_character)) {
    return fail(ErrorCode::kInvalidArgument,
                "the token in " + origin + " has characters other than letters, digits and -._~+/=",
                kMakeOne);
  }
  return BearerToken(std::move(text));
}

Result<BearerToken> BearerToken::from_file(const std::filesystem::path& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) {
    return fail_errno("open", "cannot read the token file " + path.string());
  }
  WS_CHECK(check_private(file.get(), path.string()));
  std::array<char, kLongest + 3> buffer{};  // With a line's end, and one more to be too long.
  const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
  if (count < 0) {
    return fail_errno("read", "cannot read the token file " + path.string());
  }
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  return parse(std::string(without_line_end(text)), "the token file " + path.string());
}

bool BearerToken::matches(const std::optional<std::string>& authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  std::string_view shown = authorization ? std::string_view(*authorization) : std::string_view();
  const bool scheme = shown.size() > kScheme.size() &&
                      std::equal(kScheme.begin(), kScheme.end(), shown.begin(), [](char a, char b) {
                        return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
                      });
  if (!scheme) {
    return false;
  }
  shown.remove_prefix(std::min(shown.find_first_not_of(' ', kScheme.size()), shown.size()));
  // Digests have one length: not even that of the token shows in the time.
  return equal_in_constant_time(sha256_hex(shown), sha256_hex(text_));
}

Result<std::optional<BearerToken>> find_token(const TokenSource& source) {
  if (!source.file.empty()) {
    WS_TRY(BearerToken token, BearerToken::from_file(source.file));
    return token;
  }
  if (source.environment) {
    WS_TRY(BearerToken token, BearerToken::parse(*source.environment, kVariable));
    return token;
  }
  return std::nullopt;
}

}  // namespace ws::server
