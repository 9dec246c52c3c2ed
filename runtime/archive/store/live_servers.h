// The servers that live now in a data folder.
#pragma once

#include <filesystem>
#include <vector>

#include <sys/types.h>

namespace ws {

/// Process ids of the servers that have a lease in the folder (instance.h), in no order; 0 for one
/// of an older version, which did not write down its id. In a container these are the ids that the
/// server itself sees.
std::vector<pid_t> live_servers(const std::filesystem::path& data);

}  // namespace ws
