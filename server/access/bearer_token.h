// The secret that a client must show over HTTP: `Authorization: Bearer TOKEN` (RFC 6750).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws::server {

class BearerToken {
 public:
  /// A token has 16 to 512 of the characters that RFC 6750 allows.
  ///
  /// @param origin  Where it comes from, for the message: the token itself is in none.
  /// @errors kInvalidArgument.
  static Result<BearerToken> parse(std::string text, const std::string& origin);

  /// A file of one line that only its owner, who is the caller or root, may read.
  ///
  /// @errors kIo: it cannot be read; kInvalidArgument: others may read it, or as parse().
  static Result<BearerToken> from_file(const std::filesystem::path& path);

  /// Takes the same time wherever the two differ. @param shown  As shown_token() gives it.
  [[nodiscard]] bool matches(std::string_view shown) const;

  /// "Bearer TOKEN": what a client sends.
  [[nodiscard]] std::string header() const { return "Bearer " + text_; }

 private:
  explicit BearerToken(std::string text)
      : text_(std::move(text)) {}

  std::string text_;
};

/// The token in an Authorization header, as a part of it; nothing: it has none.
/// @param authorization  The header's value; nothing when it is absent.
std::optional<std::string_view> shown_token(const std::optional<std::string>& authorization);

/// Where a token may come from; the file goes before the environment.
struct TokenSource {
  std::string file;                        ///< --token-file, or empty.
  std::optional<std::string> environment;  ///< WARPSMITH_TOKEN, where it is set.
};

/// Nothing: no token was given. @errors as BearerToken::parse and from_file.
Result<std::optional<BearerToken>> find_token(const TokenSource& source);

}  // namespace ws::server
