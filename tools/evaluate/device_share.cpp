#include "tools/evaluate/device_share.h"

#include <algorithm>

#include "runtime/evaluate/prepared.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

/// The memory that a kernel takes of the device beside its buffers: its variables, and the local
/// memory of as many threads as run at a time.
std::uint64_t bytes_of_code(const Image& image, const DeviceInfo& info) {
  constexpr std::uint64_t kThreadsOfSm = 2048;
  std::uint64_t bytes = 0;
  for (const ImageSymbol& symbol : image.symbols) {
    bytes += symbol.bytes;
  }
  std::int64_t local = 0;
  for (const CompiledEntry& entry : image.entries) {
    local = std::max(local, entry.local_bytes);
  }
  return bytes + static_cast<std::uint64_t>(local) * static_cast<std::uint64_t>(info.sm_count) *
                     kThreadsOfSm;
}

/// Whether kGpuSharers such kernels have room on the device at a time: each takes less than this
/// part of what buffers may take. Workloads that validation adds are of the same size.
constexpr std::uint64_t kShareOfMemory = 16;
/// Eight contexts take up to 4 GiB, and what flushes the cache for six of them 0.8.
constexpr std::uint64_t kLeastToShare = std::uint64_t{8} << 30U;

}  // namespace

Result<bool> is_small(Device& device, const Subject& subject, const Json& params,
                      const std::stop_token& stop) {
  WS_TRY(const DeviceInfo info, device.backend->info());
  if (info.memory_bytes < kLeastToShare) {
    return false;
  }
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", params}}));
  WS_TRY(const Workload any, compile_workload(subject, point));
  WS_TRY(const Compiled compiled, compile_for(*device.backend, subject.problem, subject.kernel, any,
                                              point, {.build = Build::kFast}, stop));
  const std::uint64_t code = compiled.ok() ? bytes_of_code(compiled.image(), info) : 0;
  WS_TRY(const std::vector<Workload> listed, expand_workloads(subject.problem));
  WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, listed, point));
  std::uint64_t most = 0;
  for (const Workload& workload : coverage.run) {
    WS_TRY(const ResolvedPlan plan, resolve_plan(subject.problem, subject.kernel, workload, point));
    std::uint64_t bytes = code;
    for (const BufferSpec& buffer : plan.buffers) {
      bytes += buffer.bytes();
    }
    most = std::max(most, bytes);
  }
  return most < info.limits.max_buffer_bytes / kShareOfMemory;
}

Status compile_checked(Device& device, const Subject& subject, const Json& params,
                       const std::stop_token& stop) {
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", params}}));
  WS_TRY(const Workload workload, compile_workload(subject, point));
  WS_TRY([[maybe_unused]] const Compiled compiled,
         compile_for(*device.backend, subject.problem, subject.kernel, workload, point,
                     {.build = Build::kBounds}, stop));
  return {};
}

}  // namespace ws
