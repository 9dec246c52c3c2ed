// The answer of a job, for browsers without scripts.
#pragma once

#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// Its summary or error, the events before a race or a deadlock as a table, and the whole answer.
/// @param job  As job_form() gives it.
std::string plain_job(const Json& job);

}  // namespace ws::server
