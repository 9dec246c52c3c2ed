// Memory for cleaning up after an allocation that failed.
#pragma once

namespace ws {

/// Sets some memory aside that only destructors get, while an exception is on its way, and a thread
/// with a Need: a JSON value needs memory to be destroyed, and a destructor that gets none ends the
/// process. Call it at the start, and again when a request has ended: what was used is set aside
/// anew, where there is room again. Any thread.
void keep_memory_reserve();

}  // namespace ws
