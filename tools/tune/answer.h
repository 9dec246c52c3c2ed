// What came of a tuning, in the form of the contract.
#pragma once

#include "tools/tune/session.h"

namespace ws {

/// Without ids, links, summary and steps.
/// @param full  All of the convergence curve and more points.
Json tune_body(const TuneQuestion& question, const TuneOutcome& outcome, const DeviceInfo& device,
               bool full);

/// One line. @param body  Of tune_body().
std::string tune_summary(const Json& body);

/// What to do next. @param budget_s  What was asked for.
std::vector<Json> tune_steps(const Json& body, double budget_s);

}  // namespace ws
