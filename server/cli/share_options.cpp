#include "server/cli/share_options.h"

#include <CLI/CLI.hpp>

#include "runtime/compile/folder_entries.h"
#include "runtime/compile/paused_entries.h"
#include "server/access/private_file.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostSecret = 4096;

/// Null: large entries stay here.
std::shared_ptr<EntryPlace> large_place(const ShareOptions& share) {
  if (share.folder.empty()) {
    return nullptr;
  }
  return std::make_shared<PausedEntries>(std::make_shared<FolderEntries>(share.folder));
}

}  // namespace

void add_share_options(CLI::App& command, ShareOptions& share) {
  CLI::Option* const secret = command.add_option(
      "--share-cache", share.secret_file,
      "File with a secret, mode 0600: share compiled kernels by --store with all that have it");
  command
      .add_option("--share-cache-folder", share.folder,
                  "A folder that all of them see, for compiled kernels of more than 1 MiB")
      ->needs(secret);
}

Status read_share(const ShareOptions& share, ServicesOptions& services) {
  if (share.secret_file.empty()) {
    return {};
  }
  if (services.store.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--share-cache needs a --store",
                "name the database that the machines share");
  }
  WS_TRY(std::string secret,
         read_private_file(share.secret_file, "file of --share-cache", kMostSecret));
  if (secret.size() < kLeastSecret) {
    return fail(ErrorCode::kInvalidArgument,
                "the file of --share-cache has " + std::to_string(secret.size()) +
                    " bytes, at least " + std::to_string(kLeastSecret) + " are needed",
                "(umask 077; head -c 32 /dev/urandom > " + share.secret_file.string() + ")");
  }
  services.shared_cache = {.secret = std::move(secret), .large = large_place(share)};
  return {};
}

}  // namespace ws::server
