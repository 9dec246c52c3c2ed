// The main loop of the process that holds a Vulkan device.
#pragma once

namespace ws {

/// `warpsmith worker --role vulkan`: takes the frames of runtime/device/vulkan/device_facts.h. Only
/// this process opens the loader. The sandbox is closed before a kernel is loaded: drivers compile
/// shaders by themselves. Ends when the socket closes, or when a kernel goes wrong.
/// @return The process's exit status: 1 when something went wrong.
int vulkan_worker_main();

}  // namespace ws
