// The changes that an archive of an older version gets when it is opened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

struct UpgradePlan {
  int from = 0;
  int to = 0;
  std::vector<std::string> steps;  ///< One sentence for each version; none: it is up to date.
  bool rebuilds_index = false;     ///< Which takes about as long as storing all kernels did.
  std::filesystem::path backup;    ///< The copy that is made first; empty where nothing changes.
};

/// Reads the version of the archive in `folder`, and changes nothing.
/// @errors kNotFound: no archive is there; kIo: it has no tables of an archive, or a newer program
/// wrote it.
Result<UpgradePlan> plan_upgrade(const std::filesystem::path& folder);

}  // namespace ws
