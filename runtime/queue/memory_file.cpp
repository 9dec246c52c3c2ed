#include "runtime/queue/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace ws {

Result<Fd> memory_file(std::string_view text) {
  Fd file(::memfd_create("warpsmith", MFD_CLOEXEC));
  std::size_t done = 0;
  while (file.valid() && done < text.size()) {
    const ssize_t written = ::write(file.get(), text.data() + done, text.size() - done);
    if (written < 0) {
      file.reset();
    } else {
      done += static_cast<std::size_t>(written);
    }
  }
  if (!file.valid()) {
    return fail_errno("memfd_create", "no memory for what another process is to read");
  }
  return file;
}

}  // namespace ws
