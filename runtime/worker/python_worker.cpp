#include <array>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/reference/host_job.h"
#include "runtime/worker/host_worker.h"

namespace ws {

/// The text of python_host.py.
std::string_view python_host();

namespace {

/// The descriptors that python_host.py finds, in its order, from kFirst on.
constexpr int kFirst = kWorkerSocket + 1;
/// Beyond them, for the time until they are in place.
constexpr int kAside = 16;

/// Address space: the interpreter and its libraries, and for the program's own arrays some times
/// the size of its tensors, as f64 is wider than what it gets.
constexpr std::uint64_t kPythonMemory = std::uint64_t{2} << 30U;
constexpr std::uint64_t kArenas = 8;

Result<Fd> memory_file(std::string_view text) {
  Fd file(::memfd_create("job", MFD_CLOEXEC));
  if (!file.valid() ||
      ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail_errno("memfd_create", "the job cannot be handed on");
  }
  return file;
}

/// Gives the descriptors the numbers from kFirst on, kept open over exec.
Status put_in_place(const std::array<int, 3>& descriptors) {
  bool good = true;
  std::array<int, 3> aside{};
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    aside.at(i) = ::fcntl(descriptors.at(i), F_DUPFD_CLOEXEC, kAside);
  }
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    good = good && ::dup2(aside.at(i), kFirst + static_cast<int>(i)) >= 0;
  }
  return good ? Status() : Status(fail_errno("dup2", "the interpreter cannot be started"));
}

/// Comes back only when it fails.
Status become_interpreter(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxHostJob));
  WS_TRY(const HostJob job, decode_host_job(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  std::string interpreter = job.interpreter;
  std::string isolated = "-I";
  std::string no_caches = "-B";
  std::string command = "-c";
  std::string program(python_host());
  std::array<char*, 6> arguments = {interpreter.data(), isolated.data(), no_caches.data(),
                                    command.data(),     program.data(),  nullptr};
  // One thread: results that do not depend on how many cores there are.
  std::string blas = "OPENBLAS_NUM_THREADS=1";
  std::string openmp = "OMP_NUM_THREADS=1";
  std::array<char*, 3> environment = {blas.data(), openmp.data(), nullptr};
  WS_TRY(const Fd filter,
         cpu::prepare_sandbox({.memory_bytes = kArenas * job.arena_bytes + kPythonMemory}));
  WS_CHECK(put_in_place({frame.fd.get(), filter.get(), text.get()}));
  ::execve(interpreter.c_str(), arguments.data(), environment.data());
  return fail_errno("execve", "the interpreter cannot be started");
}

}  // namespace

int python_worker_main() {
  tie_to_parent();
  const Status failed = become_interpreter(kWorkerSocket);
  HostReply reply;
  reply.verdict = HostVerdict::kNoLibrary;
  reply.message = failed ? "" : to_text(failed.error());
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent = send_frame(kWorkerSocket, encode(reply));
  return 1;
}

}  // namespace ws
