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

/// `warpsmith worker --role module`: the same for sessions that take a PyTorch module apart and
/// answer once (python_module.py).
int module_worker_main();

/// `warpsmith worker --role solution`: takes one job and becomes its interpreter, which enters the
/// sandbox, reads a file without running it, and answers once (python_solution.py).
/// @return 1: the interpreter could not be started, and the server has been informed.
int solution_worker_main();

/// `warpsmith worker --role torch`: becomes an interpreter with PyTorch on a GPU, confined, which
/// times modules (python_torch.py). @return as solution_worker_main().
int torch_worker_main();

}  // namespace ws
