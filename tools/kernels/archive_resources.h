// kernel://{id}/source|log, problem://{id}, evidence://{id}, device://{id}, job://{id}/log,
// profile://{id}/report|roofline, skill://{name}.
#pragma once

#include <memory>

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// `services` must outlive it; its archive is open.
std::unique_ptr<ResourceReader> make_archive_resources(Services& services);

}  // namespace ws
