// Options of processes that share compiled kernels.
#pragma once

#include <filesystem>

#include "runtime/base/result.h"
#include "runtime/session/services.h"

namespace CLI {
class App;
}

namespace ws::server {

struct ShareOptions {
  std::filesystem::path secret_file;  ///< Empty: nothing is shared.
  std::filesystem::path folder;       ///< For large entries; empty: they stay here.
};

void add_share_options(CLI::App& command, ShareOptions& share);

/// Reads the secret into the options of services. @errors kInvalidArgument: there is no store to
/// share by, or the file is too short; as read_private_file().
Status read_share(const ShareOptions& share, ServicesOptions& services);

}  // namespace ws::server
