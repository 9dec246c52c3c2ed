// A step that an answer suggests must be possible.
#pragma once

#include "tests/support/tool_bench.h"

namespace ws::test {

/// REQUIREs of each next step in an answer, also of its parts: a `tool` has whole `arguments` that
/// meet its schema; what is to `read` can be read; there is nothing but a `why` beside. The first
/// step of each tool with the same arguments is taken, on a copy of the archive: it must be no
/// error.
void check_steps(ToolBench& bench, const Json& output);

/// From now on steps of this bench are not looked at: a test plants rows in its archive, which are
/// no whole kernels or jobs.
void leave_steps(const ToolBench& bench);

/// Says what is wrong with a step; empty: nothing. @param take  Whether to take it.
std::string step_fault(ToolBench& bench, const Json& step, bool take);

}  // namespace ws::test
