#include "server/access/bearer_token.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "server/access/private_file.h"
#include "server/access/token_hash.h"

namespace ws::server {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 512;
constexpr const char* kVariable = "WARPSMITH_TOKEN";
constexpr const char* kMakeOne = "make one with: openssl rand -hex 32";

bool is_token_character(char c) {
  return is_word(c) || std::string_view("-.~+/=").find(c) != std::string_view::npos;
}

std::string_view without_line_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of("\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
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
  constexpr std::size_t kRead = kLongest + 3;  // With a line's end, and one more to be too long.
  WS_TRY(const std::string text, read_private_file(path, "token file", kRead));
  return parse(std::string(without_line_end(text)), "the token file " + path.string());
}

bool BearerToken::matches(std::string_view shown) const {
  // Digests have one length: not even that of the token shows in the time.
  return equal_in_constant_time(sha256_hex(shown), sha256_hex(text_));
}

std::optional<std::string_view> shown_token(const std::optional<std::string>& authorization) {
  constexpr std::string_view kScheme = "bearer ";
  std::string_view shown = authorization ? std::string_view(*authorization) : std::string_view();
  const bool scheme = shown.size() > kScheme.size() &&
                      std::equal(kScheme.begin(), kScheme.end(), shown.begin(), [](char a, char b) {
                        return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
                      });
  if (!scheme) {
    return std::nullopt;
  }
  shown.remove_prefix(std::min(shown.find_first_not_of(' ', kScheme.size()), shown.size()));
  return shown;
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
