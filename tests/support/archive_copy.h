// A copy of an archive that is in use.
#pragma once

#include <filesystem>

#include "runtime/base/result.h"

namespace ws::test {

/// The archive of one folder, as it is at this moment, into another folder that has none.
Status copy_archive(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ws::test
