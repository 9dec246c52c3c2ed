// Options of processes that share compiled kernels.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/base/result.h"
#include "runtime/session/services.h"
#include "server/cli/s3_key.h"

namespace CLI {
class App;
}

namespace ws::server {

struct ShareOptions {
  std::filesystem::path secret_file;  ///< Empty: nothing is shared.
  std::filesystem::path folder;       ///< For large entries.
  S3Bucket bucket;                    ///< The same, where its URL is not empty; without its key.
  S3KeySource key;                    ///< For the bucket.
};

void add_share_options(CLI::App& command, ShareOptions& share);

/// Reads the secret into the options of services, and opens the place for large entries.
/// @errors kInvalidArgument: there is no store to share by, or the file is too short; as
/// read_private_file(), read_s3_key(), BucketEntries::open(); kIo: a file of the bucket's
/// cannot be read.
Status read_share(const ShareOptions& share, ServicesOptions& services);

}  // namespace ws::server
