// Commands that only read must not make an archive where there is none.
#pragma once

#include "runtime/archive/store/archive_place.h"
#include "runtime/base/result.h"

namespace ws::server {

/// Whether the folder has an archive; a store is taken to have one.
bool has_archive(const ArchivePlace& place);

/// @errors kNotFound: there is no archive; opening it would make an empty one. Of a store: as
/// open_postgres().
Status require_archive(const ArchivePlace& place);

}  // namespace ws::server
