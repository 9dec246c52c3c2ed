// Collects clang's diagnostics in the client's own line numbers.
#pragma once

#include <string>
#include <vector>

#include <clang/Basic/Diagnostic.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

class DiagnosticCollector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override;

  /// Errors first, then warnings; notes stay after the lines they explain. Moves into `outcome`,
  /// which becomes kCompileError (or kPruned, for a "ws_invalid:" message) when there is an error.
  void finish(CompileOutcome& outcome);

 private:
  std::vector<Diagnostic> seen_;
};

}  // namespace ws::clang_engine
