// Where a bucket of an S3 endpoint is.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

/// The URL without a slash at its end.
/// @param text  https://HOST[:PORT]/BUCKET[/PREFIX]; http:// for an address of loopback.
/// @errors kInvalidArgument. Its text does not have the URL where that may hold a password.
Result<std::string> bucket_url(std::string_view text);

/// Whether it may be one: "eu-central-1", "auto".
bool is_bucket_region(std::string_view text);

}  // namespace ws
