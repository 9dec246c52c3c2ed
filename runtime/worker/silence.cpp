#include "runtime/worker/silence.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/files.h"

namespace ws {

Status silence() {
  const Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const bool good = nowhere.get() >= 0 && ::dup2(nowhere.get(), STDOUT_FILENO) >= 0 &&
                    ::dup2(nowhere.get(), STDERR_FILENO) >= 0;
  return good ? Status() : Status(fail_errno("dup2", "the worker's output cannot be closed"));
}

}  // namespace ws
