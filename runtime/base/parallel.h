// Work on independent parts by all cores, for what the server itself computes.
#pragma once

#include <cstddef>
#include <functional>

namespace ws {

/// Calls body(0) to body(count - 1), each once, on the calling thread and as many others as there
/// are cores; returns when all are done. Starting threads takes some 50 us: parts should take more.
///
/// @param body  Must not throw; runs on several threads at once.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace ws
