// The answer of a job that outlived its call, for the page.
#pragma once

#include <string>

#include "runtime/archive/search/listing.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// {id, tool, status, created_at, output}, or `error` in place of `output` where it failed; neither
/// where it has not ended. As the tool `job` does, it answers whoever knows the id.
/// @errors kNotFound: unknown, or forgotten; those of ArchiveListing.
Result<Json> job_form(ArchiveListing& listing, const std::string& id);

}  // namespace ws::server
