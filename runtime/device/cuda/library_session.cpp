#include "runtime/device/cuda/library_session.h"

#include <utility>

#include "runtime/device/bind.h"
#include "runtime/device/cuda/cuda_session.h"
#include "runtime/device/cuda/library/library_wire.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/worker_call.h"

namespace ws::cuda {
namespace {

/// For cuDNN, which may compile its kernels first.
constexpr std::chrono::seconds kLibraryLimit{120};
constexpr std::chrono::milliseconds kLibraryLastBreath{500};
constexpr std::size_t kMaxFacts = std::size_t{64} << 10U;

/// @errors kUnsupported: the library refuses, or ended its process.
Result<LibraryFacts> load_library(WorkerProcess& process, const LibraryJob& job,
                                  const RunPlan& plan, const Arena& arena,
                                  const std::stop_token& stop) {
  // Whether it is still there is asked below.
  [[maybe_unused]] const Status sent = send_frame(process.socket(), encode_library(job));
  const Result<std::string> answer = ask_worker(process, encode_load(Image{}, plan), kMaxFacts,
                                                Clock::now() + kLibraryLimit, stop, arena.fd());
  if (!answer && answer.error().code == ErrorCode::kDeviceLost) {
    WS_TRY(const int signal, end_lost_worker(process, kLibraryLastBreath));
    return fail(ErrorCode::kUnsupported, std::string(name_of(library_of(job.call))) +
                                             " cannot be timed: its process ended by signal " +
                                             std::to_string(signal));
  }
  if (!answer) {
    return fail(answer.error());
  }
  return decode_facts(*answer);
}

}  // namespace

Result<LibrarySession> open_library_session(const std::shared_ptr<WorkerSource>& source,
                                            const std::string& lock_folder, const LibraryJob& job,
                                            const ResolvedPlan& plan, std::shared_ptr<Arena> arena,
                                            const std::stop_token& stop) {
  const WorkerSource::Tenant tenant{.owner = "library " + job.path, .batch = {}, .library = true};
  WS_TRY(WorkerSource::Worker worker, source->take(tenant));
  WS_TRY(GpuLock lock, GpuLock::open(lock_folder, worker.device.uuid));
  const RunPlan run{.arena_bytes = arena->bytes(),
                    .buffers = bind_buffers(plan, *arena),
                    .steps = {},
                    .symbols = {},
                    .tensor_maps = {},
                    .textures = {},
                    .owner = {},
                    .batch = {}};
  LibrarySession opened;
  {
    WS_TRY(const FairSemaphore::Place turn, source->doorbells().enter(stop));
    WS_CHECK(lock.acquire(GpuLock::Use::kAlone, kLibraryLimit, stop));
    Result<LibraryFacts> facts = load_library(worker.process, job, run, *arena, stop);
    if (!facts) {
      worker.process.finish();  // It may still run: before others have the device.
    }
    lock.release();
    WS_TRY(opened.facts, std::move(facts));
  }
  opened.session = std::make_unique<CudaSession>(std::move(worker), std::move(arena),
                                                 std::move(lock), source, tenant);
  return opened;
}

}  // namespace ws::cuda
