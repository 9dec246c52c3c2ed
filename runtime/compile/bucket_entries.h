// Shared entries in a bucket of an S3 endpoint.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/compile/s3/boundary.h"
#include "runtime/compile/shared_entries.h"

namespace ws {

/// An object's name is that of the entry's file in a folder. The bucket's own rules delete objects
/// that are old.
class BucketEntries : public EntryPlace {
 public:
  /// More is neither read nor written.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

  /// Loads libwarpsmith_s3.so, which stays loaded. Asks the endpoint nothing.
  /// @errors kUnsupported: it cannot be loaded, or has no libcurl.
  static Result<std::unique_ptr<BucketEntries>> open(S3Bucket bucket,
                                                     std::size_t most_bytes = kMostBytes);

  Result<std::optional<std::string>> find(const std::string& key) override;
  Status put(const std::string& key, std::string_view bytes) override;

 private:
  BucketEntries(std::string url, std::size_t most_bytes, std::unique_ptr<S3Engine> engine)
      : url_(std::move(url)),
        most_bytes_(most_bytes),
        engine_(std::move(engine)) {}

  const std::string url_;
  const std::size_t most_bytes_;
  const std::unique_ptr<S3Engine> engine_;
};

}  // namespace ws
