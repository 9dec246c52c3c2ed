// Times a plan on a GPU: what judge.md calls cold, one launch a sample, each in a graph so that the
// host's jitter does not show.
//
// A sample is one launch of a graph of these nodes: the arena restored from a pristine copy on the
// device; the module's variables restored; shared memory poisoned; the cache flushed by writing
// more than twice its size; an event; the plan's launches; an event. Nothing of the host's work
// falls between the events. Each launch sees the buffers, variables and shared memory that the
// first one saw, and what they are restored from is compared afterwards. Not restored: local
// memory, and what lies between allocations. There are no batches of launches on copies, which
// would have to hold the same contents; a plan of a few microseconds is measured with what an empty
// window costs beside it. Where the driver has no graphs (HIP) the same goes onto the stream: the
// launches are there before what stands ahead of them has ended, unless the plan is tiny.
#pragma once

#include <optional>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/device/backend.h"
#include "runtime/device/cuda/nvml.h"
#include "runtime/device/cuda/plan_runner.h"

namespace ws::cuda {

class Timer {
 public:
  /// Takes device memory: a second copy of the arena, the variables' first values, and what flushes
  /// the cache.
  /// @param nvml  May be null.
  /// @errors kInvalidArgument: not enough memory; as Driver::check.
  static Result<std::unique_ptr<Timer>> create(Context& context, PlanRunner& runner, Nvml* nvml);

  /// Afterwards the host's arena holds what the kept launch left. `run` of the result says only
  /// whether a launch tampered. @errors as Driver::check: what a launch did wrong.
  Result<TimingOutcome> time(const TimingRequest& request);

 private:
  Timer(Context& context, PlanRunner& runner, Nvml* nvml)
      : context_(context),
        runner_(runner),
        nvml_(nvml) {}

  Status load_module();

  /// What one sample launches.
  struct Window {
    bool with_launches = true;
    GraphExec
        graph;  ///< Empty where streams cannot be captured: its nodes are enqueued one by one.
  };

  Result<Window> prepare(const TimingRequest& request, bool with_launches);
  Result<GraphExec> capture(const TimingRequest& request, bool with_launches);
  Status enqueue(const TimingRequest& request, bool with_launches);
  Status restore();
  Result<TimingSample> sample(const TimingRequest& request, const Window& window);
  Result<std::uint64_t> hash_variables(std::uint64_t secret);
  /// What launches are restored from lies where a kernel could write: if it changed, no sample
  /// means anything. The arguments are hashes of what it was.
  Result<bool> sources_are(std::uint64_t arena, std::uint64_t variables, std::uint64_t secret);
  /// What a window without launches takes; measured once.
  Result<double> empty_us(const TimingRequest& request);
  Context& context_;
  PlanRunner& runner_;
  Nvml* nvml_;
  Memory pristine_;
  Memory first_values_;  // The variables', one behind the other.
  std::uint64_t first_values_bytes_ = 0;
  std::vector<std::byte> copy_;  // Of pristine_, at the end; kept, as it may be large.
  Memory flush_;
  std::uint64_t flush_bytes_ = 0;
  Event start_;
  Event stop_;
  std::optional<double> empty_us_;
};

}  // namespace ws::cuda
