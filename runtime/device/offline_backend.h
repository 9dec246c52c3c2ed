// An architecture without its device: kernels are compiled for it and cannot run.
#pragma once

#include <functional>
#include <memory>

#include "runtime/device/backend.h"

namespace ws {

/// The compiler of an offline backend.
struct OfflineCompiler {
  std::function<Result<CompilerInfo>()> info;
  /// Gets requests whose target is the architecture. @errors as CompileService::compile.
  std::function<Result<CompileReply>(const CompileRequest&, const std::stop_token&, bool fresh)>
      compile;
  std::function<void()> warm;
};

/// @param device  What there would be: `arch`, `backend`, languages, features and limits. The rest
///                is filled in: "none:sm_90a", "sm_90a without a device".
std::unique_ptr<Backend> make_offline_backend(DeviceInfo device, OfflineCompiler compiler);

}  // namespace ws
