// The one list of tools.
#pragma once

#include "runtime/session/services.h"
#include "tools/registry.h"

namespace ws {

/// `services` must outlive `registry`. What went wrong is in registry.status().
void add_all_tools(ToolRegistry& registry, Services& services);

}  // namespace ws
