// What the tools share. The server opens it once and owns it; tools hold references.
#pragma once

#include <filesystem>
#include <memory>

#include "runtime/base/result.h"
#include "tools/tool.h"

namespace ws {

struct ServicesOptions {
  std::filesystem::path data_dir;  ///< Where the archive lies; made when first needed.
};

struct Services {
  ServicesOptions options;
  std::unique_ptr<ResourceReader> resources;  ///< May be null: no resources are offered.
};

/// Cheap: nothing of a device or a compiler is touched before a tool needs it.
Result<std::unique_ptr<Services>> open_services(const ServicesOptions& options);

}  // namespace ws
