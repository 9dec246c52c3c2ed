// glslang's messages as diagnostics.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/compile/compile.h"

namespace ws::glslang_compiler {

/// Reads lines of the form "ERROR: source:3: 'x' : undeclared identifier". The column is that of
/// "source(3): error at column 24", which glslang says of the last one. Its counts of errors and
/// lines about itself are left out.
std::vector<Diagnostic> parse_log(std::string_view log, const CompileRequest& request);

}  // namespace ws::glslang_compiler
