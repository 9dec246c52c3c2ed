// Files beside an archive that count as what a principal has stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/archive/store/archive_place.h"
#include "runtime/base/result.h"

namespace ws {

/// Counts a file for the viewer of this thread (viewer.h), with so many bytes from now on; 0: it is
/// gone. Nothing for a viewer without a name. Any thread.
/// @param file    Its name, which no other counted file has.
/// @errors kIo.
Status count_file(const ArchivePlace& place, const std::string& file, std::int64_t bytes);

/// Counts files no more that are not in `folder` any more, whoever they count for. Not for a place
/// that several machines share: each has files of its own. @errors kIo.
Status forget_gone_files(const ArchivePlace& place, const std::filesystem::path& folder);

}  // namespace ws
