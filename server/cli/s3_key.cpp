#include "server/cli/s3_key.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "runtime/base/text.h"
#include "server/access/private_file.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostKeyFile = std::size_t{256} << 10U;
constexpr std::string_view kFileBlanks = " \t\r";

/// Such a text can stand in a header, and ends nothing there.
bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

/// Takes one line of a section.
void take_setting(std::string_view line, S3Key& key) {
  const std::size_t equals = std::min(line.find('='), line.size());
  const std::string_view name = trimmed(line.substr(0, equals), kFileBlanks);
  const std::string value(trimmed(line.substr(std::min(equals + 1, line.size())), kFileBlanks));
  if (name == "aws_access_key_id") {
    key.id = value;
  } else if (name == "aws_secret_access_key") {
    key.secret = value;
  } else if (name == "aws_session_token") {
    key.session = value;
  }
}

/// The key in the section [profile]. @source AWS CLI, "Configuration and credential file settings".
S3Key key_in(const std::string& text, const std::string& profile) {
  S3Key key;
  bool is_here = false;
  std::istringstream lines(text);
  for (std::string whole; std::getline(lines, whole);) {
    const std::string_view line = trimmed(whole, kFileBlanks);
    if (line.starts_with('[')) {
      is_here = trimmed(line.substr(1, line.find(']') - 1), kFileBlanks) == profile;
    } else if (is_here && !line.starts_with('#') && !line.starts_with(';')) {
      take_setting(line, key);
    }
  }
  return key;
}

Result<S3Key> checked(S3Key key, const std::string& where) {
  if (key.id.empty() || key.secret.empty()) {
    return fail(ErrorCode::kInvalidArgument, where + " has only a part of a key",
                "a key of --share-cache-s3 has an id and a secret");
  }
  if (!is_visible(key.id) || !is_visible(key.secret) || !is_visible(key.session)) {
    return fail(ErrorCode::kInvalidArgument, "the key of --share-cache-s3 in " + where +
                                                 " has blanks or other characters that no key has");
  }
  return key;
}

}  // namespace

Result<S3Key> read_s3_key(const S3KeySource& source) {
  if (!source.environment.id.empty() || !source.environment.secret.empty()) {
    return checked(source.environment, "the environment");
  }
  const std::string file = source.file.string();
  std::error_code error;
  if (!std::filesystem::exists(source.file, error)) {
    return fail(ErrorCode::kInvalidArgument, "there is no key for --share-cache-s3",
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them into " + file);
  }
  WS_TRY(const std::string text, read_private_file(source.file, "file with keys", kMostKeyFile));
  const std::string profile = source.profile.empty() ? "default" : source.profile;
  S3Key key = key_in(text, profile);
  if (key.id.empty() && key.secret.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the file with keys " + file + " has no key for the profile " + quoted(profile),
                "write aws_access_key_id and aws_secret_access_key below [" + profile +
                    "], or name another profile by AWS_PROFILE");
  }
  return checked(std::move(key), "the file with keys " + file);
}

}  // namespace ws::server
