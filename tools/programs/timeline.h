// The last events before a finding, for a picture of it.
#pragma once

#include <cstddef>

#include "runtime/reference/host_job.h"
#include "tools/tool.h"

namespace ws {

/// {workers, events, at, other}: an event is [worker, kind, object, line], where the worker is an
/// index into `workers` and the kinds are those of runtime/ir/exec/trace.h. `at` and `other` are
/// the indices of the event that was noticed and of the one that it conflicts with; -1: it is not
/// among them. Null where the finding has no events.
/// @param most  The events shown, unless the other one came before them.
Json timeline_form(const ProgramFinding& finding, std::size_t most);

}  // namespace ws
