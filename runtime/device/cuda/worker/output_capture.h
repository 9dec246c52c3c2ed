// The output of kernels, and the driver's report of a failed assertion: caught in memory, so that
// none of it can look like the protocol or the server's log.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/base/files.h"

namespace ws::cuda {

class OutputCapture {
 public:
  /// Points standard output and standard error of the process at a file in memory, for good.
  /// @errors kIo.
  static Result<OutputCapture> start();

  /// The output since the last call, its first `limit` bytes. Not to be called while a kernel runs.
  std::string take(std::size_t limit);

 private:
  explicit OutputCapture(Fd file)
      : file_(std::move(file)) {}

  Fd file_;
};

}  // namespace ws::cuda
