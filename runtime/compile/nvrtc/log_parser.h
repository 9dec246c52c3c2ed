// NVRTC's log: messages of its front end (EDG) and of ptxas, as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/compile/compile.h"

namespace ws::nvrtc {

struct ParsedLog {
  std::vector<Diagnostic> diagnostics;         ///< In the order of the log.
  std::map<std::string, std::int64_t> spills;  ///< Symbol of an entry -> bytes of spill stores.
  bool over_resources = false;                 ///< ptxas: an entry needs more than the arch has.
};

/// Reads a log. A message of the front end stands at "FILE(LINE): SEVERITY: TEXT"; its snippet is
/// cut from the request's own text. Messages about name expressions name the entry, without a
/// place. What ptxas says of each kernel under -v is kept as numbers; its notes that wgmma was
/// serialised (C7510 and its like) become warnings. Warnings from headers that the client did not
/// send are left out.
ParsedLog parse_log(std::string_view log, const CompileRequest& request);

}  // namespace ws::nvrtc
