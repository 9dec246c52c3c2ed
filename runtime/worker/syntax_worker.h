// The process that parses kernels written in Python.
#pragma once

namespace ws {

/// `warpsmith worker --role syntax`: takes the path of an interpreter and becomes it; then answers
/// compile requests with trees (python_syntax.py). Ends when the socket closes.
/// @return 1: the interpreter could not be started, and the server has been informed.
int syntax_worker_main();

}  // namespace ws
