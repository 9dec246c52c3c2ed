// Compiles kernels of tiles to CuIR: parsed in a worker, lifted here.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "runtime/compile/compile_service.h"

namespace ws {

struct TileCompilerOptions {
  std::string executable;  ///< This program, for worker processes.
  /// Tried in turn for one that is there.
  std::vector<std::string> interpreters = {"/usr/bin/python3", "/usr/local/bin/python3",
                                           "/opt/conda/bin/python3"};
  std::shared_ptr<CompileStore> store = nullptr;  ///< Trees on disk; null: in memory only.
};

class TileCompiler {
 public:
  explicit TileCompiler(TileCompilerOptions options);

  /// @param request  Of a language of tiles, with launches.
  /// @errors as CompileService::compile; kUnsupported: there is no Python to parse with.
  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh);

  void warm() {
    if (syntax_ != nullptr) {
      syntax_->warm();
    }
  }

 private:
  std::unique_ptr<CompileService> syntax_;  ///< Null: no Python.
};

}  // namespace ws
