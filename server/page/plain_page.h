// The same lists for browsers without scripts: HTML with links.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/archive/search/listing.h"

namespace ws::server {

/// @param parts  Of the address behind /page/plain: none for all problems, {"problem", ID} for the
/// kernels of one. @param query  `mark`, as ArchiveListing takes it.
/// @errors kNotFound; those of ArchiveListing.
Result<std::string> plain_list(ArchiveListing& listing, const std::vector<std::string>& parts,
                               const std::map<std::string, std::string>& query);

}  // namespace ws::server
