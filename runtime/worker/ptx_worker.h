// Makes machine code of PTX: the worker of ptx_service().
#pragma once

namespace ws {

/// The first frame is the path of nvJitLink. @return The process's exit status.
int ptx_worker_main();

}  // namespace ws
