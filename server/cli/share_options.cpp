#include "server/cli/share_options.h"

#include <CLI/CLI.hpp>

#include "runtime/base/files.h"
#include "runtime/compile/bucket_entries.h"
#include "runtime/compile/bucket_url.h"
#include "runtime/compile/folder_entries.h"
#include "runtime/compile/paused_entries.h"
#include "server/access/private_file.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostSecret = 4096;

/// Null: large entries stay here.
Result<std::shared_ptr<EntryPlace>> large_place(const ShareOptions& share) {
  if (!share.bucket.url.empty()) {
    S3Bucket bucket = share.bucket;
    WS_TRY(bucket.key, read_s3_key(share.key));
    if (!bucket.ca.empty()) {
      WS_CHECK(read_file(bucket.ca));  // The library would say it at each request.
    }
    WS_TRY(std::shared_ptr<EntryPlace> entries, BucketEntries::open(std::move(bucket)));
    return std::make_shared<PausedEntries>(std::move(entries));
  }
  if (share.folder.empty()) {
    return nullptr;
  }
  return std::make_shared<PausedEntries>(std::make_shared<FolderEntries>(share.folder));
}

/// Before anything prints it: a key may stand in it by mistake.
std::string take_bucket_url(std::string& text) {
  Result<std::string> url = bucket_url(text);
  if (!url) {
    return to_text(url.error());
  }
  text = *std::move(url);
  return {};
}

void add_bucket_options(CLI::App& command, S3Bucket& bucket, CLI::Option& folder) {
  CLI::Option* const url =
      command
          .add_option("--share-cache-s3", bucket.url,
                      "The same in a bucket: https://HOST[:PORT]/BUCKET[/PREFIX], with the key in "
                      "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials")
          ->transform(CLI::Validator(take_bucket_url, ""))
          ->needs("--share-cache")
          ->excludes(&folder);
  const auto checked = [](const std::string& text) {
    return is_bucket_region(text)
               ? std::string()
               : "a region has lower-case letters, digits and dashes, such as eu-central-1";
  };
  command
      .add_option("--share-cache-s3-region", bucket.region,
                  "The bucket's region; default: us-east-1")
      ->check(checked)
      ->needs(url);
  command
      .add_option("--share-cache-s3-ca", bucket.ca,
                  "PEM file with the issuer of its certificate; default: the system's")
      ->needs(url);
}

}  // namespace

void add_share_options(CLI::App& command, ShareOptions& share) {
  CLI::Option* const secret = command.add_option(
      "--share-cache", share.secret_file,
      "File with a secret, mode 0600: share compiled kernels by --store with all that have it");
  CLI::Option* const folder =
      command
          .add_option("--share-cache-folder", share.folder,
                      "A folder that all of them see, for compiled kernels of more than 1 MiB")
          ->needs(secret);
  add_bucket_options(command, share.bucket, *folder);
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
  WS_TRY(std::shared_ptr<EntryPlace> large, large_place(share));
  services.shared_cache = {.secret = std::move(secret), .large = std::move(large)};
  return {};
}

}  // namespace ws::server
