// A tool's own call as one stage of another tool's work: waited for to its end, however long.
#pragma once

#include "runtime/base/verdict.h"
#include "runtime/session/services.h"
#include "tools/answer/typed_job.h"
#include "tools/tool.h"

namespace ws {

/// @param arguments  Without wait_ms, which is added.
/// @return  The tool's output when it is done. @errors What it ended with; kCancelled.
Result<Json> run_stage(Services& services, Tool& tool, Json arguments, StageSpan span,
                       CallContext& context);

/// The verdict of a stage's output. A name that no verdict has counts as kSuspect.
Verdict stage_verdict(const Json& output);

/// What a stage's output adds to the whole answer: without the frame and the ids, which are the
/// answer's own.
Json stage_part(Json output);

}  // namespace ws
