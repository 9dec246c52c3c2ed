// The main loops of the kinds of worker process.
#pragma once

#include <string_view>

namespace ws {

/// `warpsmith worker --role run`: takes one load frame, enters the sandbox, answers "ready" (an
/// empty frame, or one with an error's text), then runs the plan once per doorbell (a frame of 8
/// bytes: the poison seed) and answers with a RunReply, to a frame of kAskCounters with what was
/// counted, and to one of kAskRaces with the races that were found. Ends when the socket closes or
/// a kernel goes wrong.
/// @return The process's exit status.
int run_worker_main();

/// `warpsmith worker --role compile`: loads the compiler plug-in, answers "ready" (a frame
/// {"version", "arch"} or {"error"}), then answers each compile request, in a child process of its
/// own with limits, so that a crash or an endless template costs one request only.
int compile_worker_main();

/// `warpsmith worker --role nvrtc`: takes one frame (an encoded Toolkit), loads its NVRTC, answers
/// "ready" with version and known archs, or "error", then answers each compile request as
/// compile_worker_main() does. Never touches the CUDA driver.
int nvrtc_worker_main();

/// `warpsmith worker --role hiprtc`: takes one frame (an encoded HipKit, a line end, an
/// architecture), loads that hiprtc and tries it on the architecture, which ends the process when
/// hiprtc does not know it; then as nvrtc_worker_main(). Never touches the HIP runtime.
int hiprtc_worker_main();

/// `warpsmith worker --role <role>`. @return 2 for an unknown role.
int worker_main(std::string_view role);

}  // namespace ws
