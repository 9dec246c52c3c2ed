// The main loop of the process that compiles shaders.
#pragma once

namespace ws {

/// `warpsmith worker --role spirv`: loads the plug-in that compiles HLSL and GLSL, answers "ready"
/// with its version, or "error", then answers each compile request as compile_worker_main() does.
/// @return The process's exit status.
int spirv_worker_main();

}  // namespace ws
