// The mistakes of a CuIR program, in the form that a host worker answers.
#pragma once

#include <string>

#include "runtime/ir/exec/finding.h"
#include "runtime/ir/syntax/diagnostics.h"
#include "runtime/reference/host_job.h"

namespace ws {

HostReply refused(HostVerdict verdict, const Error& error);

/// @param text  The program's.
HostReply refused(HostVerdict verdict, const ir::Diagnostics& diagnostics, const std::string& text);

ProgramFinding to_row(const ir::Finding& finding);

/// All of them; the first one with what came before it.
std::vector<ProgramFinding> to_rows(const std::vector<ir::Finding>& findings);

/// Why the executor does not run a program that is right.
ProgramFinding limit_row(const Error& error);

}  // namespace ws
