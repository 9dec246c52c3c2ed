// The counters of a profile beside the lines of the kernel's source.
#pragma once

#include <string>

#include "runtime/archive/search/listing.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// {evidence_id, device, created_at, columns, rows}: a row has a number, or null, for each column,
/// and the first column is the number of the line. A record that is not as `profile` writes it has
/// no columns and no rows. Null: the kernel was not profiled.
/// @param evidence_id  Empty: that of the newest profile.
/// @errors kNotFound: it is no profile of that kernel; those of ArchiveListing.
Result<Json> counters_of(ArchiveListing& listing, const std::string& kernel_id,
                         const std::string& evidence_id);

/// The words for a column of counters: "sectors a request". Empty: it is none that a profile has.
std::string_view words_of_column(std::string_view column);

}  // namespace ws::server
