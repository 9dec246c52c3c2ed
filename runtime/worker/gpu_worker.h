// The main loop of the process that holds a GPU.
#pragma once

#include <string_view>

namespace ws {

/// "cuda" and "hip".
bool is_gpu_role(std::string_view role);

/// `warpsmith worker --role ROLE`, of is_gpu_role(): takes the frames of
/// runtime/device/cuda/worker/protocol.h. Only this process opens the driver. Ends when the socket
/// closes, or when a kernel goes wrong: most faults leave a context that no call can use again. The
/// exit status is 1 when something went wrong.
[[noreturn]] void gpu_worker_main(std::string_view role);

}  // namespace ws
