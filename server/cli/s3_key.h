// The key of a bucket: in the environment, or in the file that other tools of S3 read too.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/base/result.h"
#include "runtime/compile/s3/boundary.h"

namespace ws::server {

struct S3KeySource {
  S3Key environment;           ///< AWS_ACCESS_KEY_ID and the others; it goes before the file.
  std::filesystem::path file;  ///< AWS_SHARED_CREDENTIALS_FILE, by default ~/.aws/credentials.
  std::string profile;         ///< AWS_PROFILE: the file's section; empty: "default".
};

/// @errors kInvalidArgument: there is none, only half of one, or one that no header can have;
/// kIo, kInvalidArgument: as read_private_file().
Result<S3Key> read_s3_key(const S3KeySource& source);

}  // namespace ws::server
