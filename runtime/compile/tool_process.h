// The descriptors and the exit status on which the server and the process that becomes a program of
// a toolkit agree.
#pragma once

namespace ws {

/// Descriptors of that process: the code to read, and the words of the command.
inline constexpr int kToolCodeFile = 3;
inline constexpr int kToolCommandFile = 4;

/// Its exit status where the program was not started.
inline constexpr int kToolNotStarted = 120;

}  // namespace ws
