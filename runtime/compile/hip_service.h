// The compile service of HIP: hiprtc, for every architecture that it knows.
#pragma once

#include <memory>
#include <string>

#include "runtime/compile/compile_service.h"
#include "runtime/compile/hip_archs.h"
#include "runtime/compile/hip_kit.h"

namespace ws {

/// The library is looked at once, when the service first needs a key: after another one was put in
/// its place, start a new server.
///
/// @param executable  Of this product: it is the worker too.
/// @param store       Null: outcomes are kept in memory only.
CompileService::Options hip_service(const std::string& executable, const HipKit& kit,
                                    std::shared_ptr<CompileStore> store = nullptr);

/// The service, for the architectures that it knows only: others would end the worker that
/// compiles. Any thread.
class HipCompiler {
 public:
  HipCompiler(CompileService::Options service, std::unique_ptr<HipArchs> archs)
      : service_(std::move(service)),
        archs_(std::move(archs)) {}

  /// As CompileService::compile; kUnsupported is the verdict for an unknown `request.target`.
  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh);

  Result<CompilerInfo> info() { return service_.info(); }

  void warm() { service_.warm(); }

 private:
  Result<CompileReply> refuse(const std::string& arch);

  CompileService service_;
  const std::unique_ptr<HipArchs> archs_;
};

}  // namespace ws
