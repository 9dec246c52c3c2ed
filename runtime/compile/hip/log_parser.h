// hiprtc's log: messages of clang, LLVM and lld as text.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/compile/compile.h"

namespace ws::hip {

struct ParsedLog {
  std::vector<Diagnostic> diagnostics;  ///< In the order of the log.
  bool over_resources = false;          ///< An entry needs more LDS than the architecture has.
};

/// Reads a log. A message of clang stands at "FILE:LINE:COLUMN: SEVERITY: TEXT"; its snippet is cut
/// from the request's own text. Messages about name expressions name the entry, without a place.
/// Where the text is CUDA's and AMD's GPUs want another one, the message says which. Warnings and
/// notes from headers that the client did not send are left out, as are paths.
ParsedLog parse_log(std::string_view log, const CompileRequest& request);

}  // namespace ws::hip
