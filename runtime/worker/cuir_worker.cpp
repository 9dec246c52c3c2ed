#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/parallel.h"
#include "runtime/base/worker_groups.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/reference/cuir_program.h"
#include "runtime/reference/tile_program.h"
#include "runtime/worker/host_worker.h"

namespace ws {
namespace {

/// Address space beyond the arena: the executor keeps elements as f64, and several schedules run at
/// once.
constexpr std::uint64_t kExecutorMemory = std::uint64_t{6} << 30U;

HostReply out_of_memory() {
  HostReply reply;
  reply.verdict = HostVerdict::kRuntimeError;
  reply.message = "there is not enough memory to run the program";
  reply.hint = "run it on smaller shapes, or with values off";
  return reply;
}

template <typename Work>
HostReply within_memory(Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

/// Answers what the program is worth, then runs it for each doorbell.
template <typename Program>
Status serve_program(int socket, Program program, std::span<std::byte> arena, unsigned threads) {
  const HostReply prepared = within_memory([&] { return program.prepare(); });
  WS_CHECK(send_frame(socket, encode(prepared)));
  while (prepared.ok() && receive_frame(socket, 0)) {
    const HostReply reply = within_memory([&] { return program.run(arena, threads); });
    WS_CHECK(send_frame(socket, encode(reply)));
  }
  ::_exit(0);  // The server is done with this worker; what exit() would do, the sandbox forbids.
}

Status serve_cuir(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxHostJob));
  WS_TRY(HostJob job, decode_host_job(frame.payload));
  charge_file(frame.fd.get());
  void* const memory =
      ::mmap(nullptr, job.arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, frame.fd.get(), 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "the worker cannot map the tensors");
  }
  const std::span<std::byte> arena(static_cast<std::byte*>(memory), job.arena_bytes);
  const unsigned threads = core_count();  // Asks the system, which the sandbox forbids.
  WS_CHECK(
      cpu::enter_sandbox({.memory_bytes = cpu::memory_limit(job.arena_bytes + kExecutorMemory)}));
  return job.programs.empty() ? serve_program(socket, CuirProgram(std::move(job)), arena, threads)
                              : serve_program(socket, TileProgram(std::move(job)), arena, threads);
}

}  // namespace

int cuir_worker_main() {
  tie_to_parent();
  // The server sees a socket that closes; there is nobody else to tell.
  return serve_cuir(kWorkerSocket) ? 0 : 1;
}

}  // namespace ws
