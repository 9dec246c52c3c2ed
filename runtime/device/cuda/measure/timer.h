// Times a plan on a GPU, one launch a sample: cold, with nothing of its data in the caches, or hot.
// Each sample is a graph, so that the host's jitter does not show.
//
// A sample begins with the lead: inputs that are the launch's own, which are those of a pristine
// copy on the device, rotated; then, as one graph, lines that a kernel keeps in the cache given
// back; the rest of the arena and the module's variables restored; shared and local memory
// poisoned, and the rest of our own pages overwritten; the cache flushed by writing more than twice
// its size. What is timed is a second graph: an event, the plan's launches, an event. Nothing of
// the host's work falls between the events. The lead of the next sample is on its way while the
// host reads this one, so that the device seldom waits; after a short lead (hot) it does. What
// launches are restored from is compared afterwards. Not overwritten: the pages of the module's
// code and of the driver's own buffers. Which launch's outputs are looked at is not settled before
// the last one has ended: each is kept with some chance, in place of the one before. Of each, after
// it was timed, the device makes a digest of all outputs. There are no
// batches of launches on copies, which would have to hold the same contents; a plan of a few
// microseconds is measured with what an empty window costs beside it. Where the driver has no
// graphs (HIP) lead and launches go onto the stream in one go: the launches are there before the
// lead has ended, unless it is tiny.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/hash.h"
#include "runtime/device/backend.h"
#include "runtime/device/cuda/driver/nvml.h"
#include "runtime/device/cuda/measure/fresh_inputs.h"
#include "runtime/device/cuda/measure/launch_schedule.h"
#include "runtime/device/cuda/measure/output_digests.h"
#include "runtime/device/cuda/worker/host_pages.h"
#include "runtime/device/cuda/worker/plan_runner.h"

namespace ws::cuda {

/// The device, which workers have one after the other.
class DeviceTurn {
 public:
  virtual ~DeviceTurn() = default;
  /// Waits for it; once: later calls do nothing. @errors kBusy: it is not free.
  virtual Status take() = 0;
  /// Gives the device back. @errors kDeviceLost: the server is gone.
  virtual Status give_back() = 0;
};

class Timer {
 public:
  /// Takes device memory: a second copy of the arena, the variables' first values, and what flushes
  /// the cache; and memory of the host, as much as the arena.
  /// @param nvml  May be null.
  /// @errors kInvalidArgument: not enough memory; kIo: nor on the host; as Driver::check.
  static Result<std::unique_ptr<Timer>> create(Context& context, PlanRunner& runner, Nvml* nvml);

  /// Afterwards the host's arena holds what the kept launch left. `run` of the result says only
  /// whether a launch tampered. Has the turn for what the device does, not for what the host can do
  /// before and after. @errors as Driver::check: what a launch did wrong; those of the turn.
  Result<TimingOutcome> time(const TimingRequest& request, DeviceTurn& turn);

 private:
  Timer(Context& context, PlanRunner& runner, Nvml* nvml, OutputDigests digests)
      : context_(context),
        runner_(runner),
        nvml_(nvml),
        inputs_(context, runner),
        digests_(std::move(digests)),
        draws_(random_u64()) {}

  /// A part of a sample.
  struct Part {
    std::function<Status()> enqueue;
    GraphExec graph;  ///< The graph of what that enqueues; empty where streams cannot be captured.
  };

  struct Window {
    Part lead;
    Part timed;
  };

  /// All that can be done before the turn; takes it where it must.
  Result<Window> make_ready(const TimingRequest& request, DeviceTurn& turn);
  Result<Window> prepare(const TimingRequest& request, bool with_launches);
  Status enqueue_lead(const TimingRequest& request);
  Status enqueue_timed(bool with_launches);
  Status start(const Part& part);
  /// @param inputs  As ScheduledLaunch::inputs.
  Status start_lead(const Window& window, std::uint64_t inputs);
  /// Its lead was started. @param next  The next one, whose lead is started, too; may be null.
  Result<TimingSample> sample(const Window& window, const ScheduledLaunch& launch,
                              const ScheduledLaunch* next);
  Status take_samples(const TimingRequest& request, Window window, TimingOutcome& timing);
  /// Takes or frees the memory that flushes the cache, as such a request needs it.
  Status prepare_flush(const TimingRequest& request);
  /// Measures the time of a window without launches.
  Status measure_empty(const TimingRequest& request);

  Status keep_first_values();
  Status restore();
  Status make_evictable();
  Status scrub_tails(std::uint32_t word);
  // Reads the values that launches are restored from. They lie where a kernel could write: if they
  // changed, no sample means anything. Both functions wait.
  Result<std::vector<std::byte>> read_first_values();
  Status read_pristine();

  void note_clocks(TimingOutcome& timing);

  Context& context_;
  PlanRunner& runner_;
  Nvml* nvml_;
  FreshInputs inputs_;
  OutputDigests digests_;
  Region pristine_;
  Region first_values_;  // The variables', one after the other.
  HostPages copy_;       // A copy of pristine_ at the end.
  Region flush_;         // Only for cold launches: a hot one could leave something there.
  Event start_;
  Event stop_;
  Event done_;  // With a sample, whatever was enqueued after it.
  std::optional<double> empty_us_;
  std::mt19937_64 draws_;  // As schedule_launches() takes them: secret, as no kernel can read the
                           // worker's memory.
};

}  // namespace ws::cuda
