// A kernel's source with its counters, and the compile cache, for browsers without scripts.
#pragma once

#include <string>

#include "runtime/archive/search/listing.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// A table with a row for each line of the source; of a long one the first lines.
/// @param evidence_id  As counters_of() takes it. @errors As counters_of(), and as
/// ArchiveListing::kernel().
Result<std::string> plain_source(ArchiveListing& listing, const std::string& kernel_id,
                                 const std::string& evidence_id);

/// @param look  As CacheLook gives it.
std::string plain_cache(const Json& look);

}  // namespace ws::server
