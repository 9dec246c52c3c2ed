// Faults and diagnostics in the contract's form.
#pragma once

#include "runtime/compile/compile.h"
#include "runtime/device/fault_report.h"
#include "tools/tool.h"

namespace ws {

/// {kind, message, buffer, index, access, file, line, column, block[3], thread[3], signal}; fields
/// that do not apply are left out.
Json to_json(const Fault& fault);

/// {severity, message, region, line, column, snippet}
Json to_json(const Diagnostic& diagnostic);

}  // namespace ws
