// How many worker processes there are, for those who operate the server.
#pragma once

#include <string>

namespace ws {

/// Any thread.
void count_start(const std::string& role, bool started);
void count_end(const std::string& role);

/// False: the system refused the worker process that was to be started last.
bool last_worker_started() noexcept;

}  // namespace ws
