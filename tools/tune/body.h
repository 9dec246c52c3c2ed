// The result of a tuning in the form of the contract.
#pragma once

#include "tools/tune/conclusion.h"

namespace ws {

/// The whole result as JSON, without ids of evidence, links, summary and steps.
/// @param conclusion  Of this question and outcome.
/// @param full        All of the convergence curve and more points.
Json tune_body(const TuneQuestion& question, const TuneOutcome& outcome,
               const TuneConclusion& conclusion, bool full);

}  // namespace ws
