// The main loop of the process that holds a GPU.
#pragma once

namespace ws {

/// `warpsmith worker --role cuda`: takes the frames of runtime/device/cuda/protocol.h. Only this
/// process opens the driver. Ends when the socket closes, or when a kernel goes wrong: most faults
/// leave a context that no call can use again. The exit status is 1 when something went wrong.
[[noreturn]] void cuda_worker_main();

}  // namespace ws
