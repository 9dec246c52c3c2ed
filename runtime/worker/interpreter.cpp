#include "runtime/worker/interpreter.h"

#include <array>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "runtime/queue/process.h"

namespace ws {

/// The text of python_channel.py.
std::string_view python_channel();

namespace {

constexpr int kFirst = kWorkerSocket + 1;
/// Beyond the descriptors, for the time until they are in place.
constexpr int kAside = 16;

/// Gives the descriptors the numbers from kFirst on, kept open over exec.
bool put_in_place(std::span<const int> descriptors) {
  bool good = true;
  std::vector<int> aside;
  for (const int descriptor : descriptors) {
    aside.push_back(::fcntl(descriptor, F_DUPFD_CLOEXEC, kAside));
  }
  for (std::size_t i = 0; i < aside.size(); ++i) {
    good = good && ::dup2(aside[i], kFirst + static_cast<int>(i)) >= 0;
  }
  return good;
}

}  // namespace

tl::unexpected<Error> become_interpreter(const std::string& interpreter, std::string_view program,
                                         std::span<const int> descriptors, bool site) {
  if (!put_in_place(descriptors)) {
    return fail_errno("dup2", "the interpreter cannot be started");
  }
  std::string path = interpreter;
  std::string isolated = site ? "-I" : "-IS";
  std::string no_caches = "-B";
  std::string command = "-c";
  std::string text(python_channel());
  text += program;
  std::array<char*, 6> arguments = {path.data(),    isolated.data(), no_caches.data(),
                                    command.data(), text.data(),     nullptr};
  // One thread: results that do not depend on how many cores there are.
  std::string blas = "OPENBLAS_NUM_THREADS=1";
  std::string openmp = "OMP_NUM_THREADS=1";
  std::array<char*, 3> environment = {blas.data(), openmp.data(), nullptr};
  ::execve(path.c_str(), arguments.data(), environment.data());
  return fail_errno("execve", "the interpreter cannot be started");
}

}  // namespace ws
