#include "runtime/evaluate/measure/library_side.h"

#include <algorithm>
#include <iterator>

#include "runtime/evaluate/measure/attention_call.h"
#include "runtime/evaluate/measure/gemm_call.h"

namespace ws {

Result<LibraryCall> library_call(const LibraryBaseline& baseline, const Problem& problem,
                                 const ResolvedPlan& plan, const Workload& workload) {
  if (baseline.library == Library::kCublas) {
    WS_TRY(LibraryCall call, gemm_call(problem, plan, workload));
    return call;
  }
  WS_TRY(LibraryCall call, attention_call(problem, plan, workload, baseline.causal));
  return call;
}

Compiled library_side(const Problem& problem, const Compiled& kernel) {
  Compiled side;
  side.buffer_bytes = kernel.buffer_bytes;
  side.reply = {std::make_shared<const CompileOutcome>(), CacheUse::kBypass};
  std::ranges::copy_if(kernel.plan.buffers, std::back_inserter(side.plan.buffers),
                       [&](const BufferSpec& buffer) {  // No scratch memory of the kernel.
                         return problem.find_arg(buffer.name) != nullptr;
                       });
  return side;
}

Result<PreparedLibrary> prepare_library(Backend& backend, const LibraryCall& call,
                                        const Compiled& side, const std::stop_token& stop) {
  WS_TRY(const DeviceInfo device, backend.info());
  auto* const calls = dynamic_cast<CallsLibraries*>(&backend);
  if (calls == nullptr) {
    return fail(ErrorCode::kUnsupported,
                device.name + " has no " + std::string(name_of(library_of(call))),
                "name an NVIDIA GPU as `device`, or choose another baseline");
  }
  const std::uint64_t limit =
      side.buffer_bytes != 0 ? side.buffer_bytes : device.limits.max_buffer_bytes;
  PreparedLibrary made;
  made.prepared.plan = side.plan;
  made.prepared.compiled = side.reply.outcome;
  WS_TRY(made.prepared.arena, Arena::create(side.plan.buffers, limit));
  WS_TRY(LibrarySession opened,
         calls->open_library(call, made.prepared.plan, made.prepared.arena, stop));
  made.prepared.session = std::move(opened.session);
  made.facts = std::move(opened.facts);
  return made;
}

}  // namespace ws
