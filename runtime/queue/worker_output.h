// The output of a worker, kept for the server's operator.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// A pipe that never lets a worker wait: what it prints beyond the first 64 KiB is lost.
struct OutputPipe {
  Fd read;
  Fd write;

  /// @errors kIo.
  static Result<OutputPipe> open();
};

/// All that is in the pipe now. Never waits.
std::string take_output(const Fd& pipe);

/// In quotes, with all but printable ASCII escaped: what a worker prints cannot end its line of the
/// log, nor look like another field of it. Long lines are cut, and of a long text the middle is
/// left out.
std::string quoted_output(std::string_view printed);

/// One line of the log: "role=run pid=7 signal=11 printed=5 output="...\n"". Nothing where a worker
/// printed nothing and no signal ended it.
void log_output(std::string_view role, pid_t pid, int signal, const std::string& printed) noexcept;

}  // namespace ws
