// The main loops of the processes that run host programs (runtime/reference/host_job.h).
#pragma once

namespace ws {

/// `warpsmith worker --role cuir`: takes one job, enters the sandbox, answers what the program's
/// text is worth, then runs it once per doorbell. Ends when the socket closes.
/// @return The process's exit status.
int cuir_worker_main();

/// `warpsmith worker --role python`: becomes an interpreter that imports libraries, and copies
/// itself for each session; the copy enters the sandbox and only then reads the program's source
/// (python_copies.py). @return 1: the interpreter could not be started.
int python_worker_main();

/// `warpsmith worker --role module`: takes one job and becomes its interpreter, which imports
/// PyTorch, enters the sandbox, runs the module and answers once (python_module.py).
/// @return 1: the interpreter could not be started, and the server has been informed.
int module_worker_main();

/// `warpsmith worker --role solution`: the same for a file that is only read (python_solution.py).
int solution_worker_main();

/// `warpsmith worker --role torch`: becomes an interpreter with PyTorch on a GPU, confined, which
/// times modules (python_torch.py). @return as module_worker_main().
int torch_worker_main();

}  // namespace ws
