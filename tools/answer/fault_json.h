// Faults and diagnostics in the contract's form.
#pragma once

#include "runtime/compile/compile.h"
#include "runtime/device/fault_report.h"
#include "tools/tool.h"

namespace ws {

/// {kind, message, buffer, index, access, file, line, column, block[3], thread[3], signal}; fields
/// that do not apply are left out.
Json to_json(const Fault& fault);

/// Reads what to_json() wrote. The form has no verdict, which stands beside it.
Fault fault_from_json(const Json& form, Verdict verdict);

/// {severity, message, region, line, column, snippet}
Json to_json(const Diagnostic& diagnostic);
Diagnostic diagnostic_from_json(const Json& form);

}  // namespace ws
