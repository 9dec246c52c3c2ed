#include "runtime/device/cuda/worker/output_capture.h"

#include <algorithm>
#include <cstdio>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ws::cuda {

Result<OutputCapture> OutputCapture::start() {
  Fd file(::memfd_create("warpsmith-output", MFD_CLOEXEC));
  // Appending: the two descriptors then never write over each other.
  if (!file.valid() || ::fcntl(file.get(), F_SETFL, O_APPEND) != 0 ||
      ::dup2(file.get(), STDOUT_FILENO) < 0 || ::dup2(file.get(), STDERR_FILENO) < 0) {
    return fail_errno("memfd_create", "the worker cannot catch what kernels print");
  }
  return OutputCapture(std::move(file));
}

std::string OutputCapture::take(std::size_t limit) {
  std::fflush(nullptr);  // The driver prints through the C library's streams.
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  std::string text(std::min(limit, static_cast<std::size_t>(std::max<off_t>(size, 0))), '\0');
  const ssize_t got = text.empty() ? 0 : ::pread(file_.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (size > 0) {
    [[maybe_unused]] const int emptied = ::ftruncate(file_.get(), 0);
  }
  return text;
}

}  // namespace ws::cuda
