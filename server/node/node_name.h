// The name that a node has among the nodes.
#pragma once

#include <string>

#include "runtime/base/result.h"

namespace ws::server {

inline constexpr std::size_t kLongestNodeName = 64;

/// @errors kInvalidArgument.
Status check_node_name(const std::string& name);

}  // namespace ws::server
