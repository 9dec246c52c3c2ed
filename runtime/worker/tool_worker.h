// The process that becomes a program of a toolkit: it reads what a client's kernel was compiled to.
#pragma once

namespace ws {

/// `warpsmith worker --role tool`: enters the sandbox and becomes the program that the file in
/// descriptor kToolCommandFile names (runtime/compile/tool_process.h): its words, a line each.
/// @return kToolNotStarted, with the reason on stdout.
int tool_worker_main();

}  // namespace ws
