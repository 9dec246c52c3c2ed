// Times a plan on a GPU: what judge.md calls cold, one launch a sample, each in a graph so that the
// host's jitter does not show.
//
// A sample is one launch of a graph of these nodes: the arena restored from a pristine copy on the
// device; the module's variables restored; shared memory poisoned; the cache flushed by writing
// more than twice its size; an event; the plan's launches; an event. Nothing of the host's work
// falls between the events. Each launch sees what the first one saw, so none can use what another
// left: also not by batches of launches on copies, which would have to hold the same contents; a
// plan of a few microseconds is measured with what an empty window costs beside it.
#pragma once

#include <optional>

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
  static Result<std::unique_ptr<Timer>> create(Context& context, PlanRunner& runner,
                                               const Nvml* nvml);

  /// Afterwards the host's arena holds what the kept launch left. `run` of the result is not filled
  /// in. @errors as Driver::check: what a launch did wrong.
  Result<TimingOutcome> time(const TimingRequest& request);

 private:
  Timer(Context& context, PlanRunner& runner, const Nvml* nvml)
      : context_(context),
        runner_(runner),
        nvml_(nvml) {}

  Status load_module();
  Result<GraphExec> capture(const TimingRequest& request, bool with_launches);
  Status enqueue(const TimingRequest& request, bool with_launches);
  Status restore();
  Result<TimingSample> sample(const GraphExec& graph);
  Status measure_empty(const TimingRequest& request, TimingOutcome& into);

  Context& context_;
  PlanRunner& runner_;
  const Nvml* nvml_;
  Memory pristine_;
  Memory first_values_;  // The variables', one behind the other.
  Memory flush_;
  std::uint64_t flush_bytes_ = 0;
  Event start_;
  Event stop_;
};

}  // namespace ws::cuda
