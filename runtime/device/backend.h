// A device that kernels run on, as the tools see it: what it is, how to compile for it, and
// sessions that run one plan again and again. Implementations: cpu/ (the embedded engine).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/core_gate.h"
#include "runtime/compile/compile_service.h"
#include "runtime/device/arena.h"
#include "runtime/device/output_digest.h"
#include "runtime/device/profile_counters.h"
#include "runtime/device/run_mode.h"
#include "runtime/device/run_plan.h"
#include "runtime/device/run_reply.h"
#include "runtime/kernel/tile_work.h"

namespace ws {

struct DeviceLimits {
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_shared_bytes = 232448;  ///< Static and dynamic; 227 KiB as on sm_90.
  std::int64_t registers_per_block = 65536;
  std::int64_t warp_size = 32;
  std::int64_t max_block_z = 64;
  std::int64_t max_grid_x = 2147483647;
  std::int64_t max_grid_yz = 65535;
  std::int64_t max_cluster_blocks = 16;  ///< For devices with clusters.
  /// Memory for the blocks of a cooperative launch, all at once (live_blocks.h); 0: the device's
  /// driver knows how many it can hold.
  std::uint64_t max_live_bytes = 0;
  std::uint64_t max_buffer_bytes = std::uint64_t{4}
                                   << 30U;  ///< The limit for all buffers of a run together.
  std::uint64_t max_argument_bytes = 0;     ///< The limit for the buffer of an argument; 0: none.
  /// The offset of a buffer's argument must be a multiple of so many bytes.
  std::int64_t offset_alignment = 1;
};

struct DeviceInfo {
  std::string id;       ///< "cpu:0"
  std::string backend;  ///< "cpu"
  std::string name;
  std::string arch;
  std::string toolkit;  ///< The compiler's version.
  std::vector<std::string> languages;
  bool emulated = false;
  std::vector<std::string> features;  ///< Words of features_of() that plans may ask for.
  DeviceLimits limits;
  // For a GPU; 0 or empty where there is none.
  std::string uuid;
  std::string driver;  ///< "CUDA 13.0"
  std::int64_t sm_count = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::vector<std::string>
      notes;  ///< Conditions that make its timings less certain: "shared through MPS".

  /// The name that measurements are kept under: a GPU's id only says where it is plugged in today.
  [[nodiscard]] const std::string& key() const { return uuid.empty() ? id : uuid; }
};

/// A mistake that the executor of tiles found in a launch.
struct TileFinding {
  std::string kind;     ///< As docs/cuir.md lists them: "undetermined_value".
  std::string message;  ///< One sentence.
  std::string fix;
  std::string object;  ///< The tensor; empty: none.
  int line = 0;        ///< In the kernel's source; 0: unknown.
  int other_line = 0;  ///< The other access; 0: none.
  std::int64_t block = 0;
};

/// How one doorbell ended.
struct RunOutcome {
  static constexpr std::size_t kMaxText = 4096;

  /// kRestless: the worker ran while it had to be stopped.
  enum class End : std::uint8_t { kReplied, kDied, kTimedOut, kRestless };
  End end = End::kReplied;
  RunReply reply;  ///< kReplied, and kTimedOut where the worker could still say where it was.
  int signal = 0;  ///< kDied: what killed it; 0 = it exited by itself or sent an invalid answer.
  double elapsed_us = 0;  ///< Until the reply, from the doorbell or from when it got the GPU.
  double cpu_us = 0;      ///< Processor time of the worker's threads meanwhile; 0 = unknown.
  std::string text;       ///< The kernel's output, and a failed assertion's line; cut to kMaxText.
  std::vector<TileFinding> findings =
      {};  ///< The mistakes of a kernel of tiles; the first is the reason.

  [[nodiscard]] bool ok() const {
    return end == End::kReplied && reply.status == RunStatus::kOk && findings.empty();
  }
};

/// A poison that launches nothing: to time a doorbell and its answer.
inline constexpr std::uint64_t kNoLaunch = 0;

/// One doorbell that times the plan.
struct TimingRequest {
  /// The poison of shared and local memory: secret, not 0.
  std::uint64_t poison = 1;
  std::uint32_t launches = 1;  ///< 1 to kMaxLaunches: as many samples.
  std::uint32_t hot = 0;       ///< 1: the caches are not flushed before a launch.
  /// Not 0: each launch finds inputs of its own, which are those in the arena rotated by amounts
  /// that follow from this secret, where the plan allows it. Both sides of a comparison get the
  /// same one.
  std::uint64_t inputs = 0;
  /// So many launches, at places that the worker draws, find the inputs that the other side's have
  /// too, in the same order. One of them is kept, the same one on both sides.
  std::uint64_t shared = 0;

  static constexpr std::uint32_t kMaxLaunches = 1000;
};

/// One launch of the whole plan.
struct TimingSample {
  double us = 0;           ///< From the first launch's start to the last one's end.
  double sm_mhz = 0;       ///< The device's clock right after; 0 = unknown.
  bool throttled = false;  ///< Its clock is more than 10 % below the samples' median.
};

struct TimingOutcome {
  RunOutcome run;                     ///< Whether it went well; its reply is about the last launch.
  std::vector<TimingSample> samples;  ///< In order; one for each launch when run.ok().
  /// The outputs of the shared launches, in order, where the device takes digests.
  std::vector<OutputDigest> digests;
  /// The launch whose outputs are in the arena, with its inputs as they were there before; the
  /// kernel could not know which.
  std::uint32_t kept = 0;
  double empty_us = 0;    ///< The time of a window without a launch, which is not subtracted.
  double memory_mhz = 0;  ///< 0 = unknown.
  std::vector<std::string> throttle_reasons;  ///< "power_cap", "thermal": at most a second ago.
  std::int64_t processes = 0;  ///< Processes that compute on the device, including ours.
};

/// One worker with one plan loaded. After a run that is not ok() the session is over.
class Session {
 public:
  virtual ~Session() = default;
  /// Runs all launches of the plan once and waits.
  ///
  /// @param poison    The secret contents of shared memory before the launch; kNoLaunch: no launch.
  /// @errors kCancelled: `stop` was requested; the worker is killed.
  virtual Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                                 const std::stop_token& stop) = 0;

  /// Whether run_as() heeds its mode: an order, and what the kernel left in its variables.
  [[nodiscard]] virtual bool has_modes() const { return false; }

  /// As run(), in `mode` where has_modes().
  virtual Result<RunOutcome> run_as(const RunMode& /*mode*/, std::uint64_t poison,
                                    std::chrono::milliseconds limit, const std::stop_token& stop) {
    return run(poison, limit, stop);
  }

  /// Runs the plan `launches` times, each on the arena as it is now, and times each. On a GPU the
  /// launches see restored buffers and variables and, unless hot, a cold cache; none of that is in
  /// the window. On the CPU engine it is one launch, timed from doorbell to reply.
  ///
  /// @param limit  The limit for all launches together.
  /// @errors as run(); kBusy: another server times on the device; kInvalidArgument: the device has
  /// no memory for a second copy of the buffers.
  virtual Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                                     const std::stop_token& stop) = 0;

  /// The kernel was found correct and honest: a device may give its worker to the next kernel of
  /// the plan's batch.
  virtual void mark_verified() {}

  /// The counts so far of runs of a profile build. The counters lie in the worker, which runs the
  /// kernel: its accesses are checked, but the counts are as the worker reports them.
  /// @errors kUnsupported: the device counts nothing in software; kDeviceLost: no answer.
  virtual Result<ProfileCounters> counters() {
    return fail(ErrorCode::kUnsupported, "this device does not count in software");
  }

  /// The work of the last run of a profile build of a kernel of tiles, as the worker reports it;
  /// without rows for other kernels.
  [[nodiscard]] virtual TileCounters tile_counters() const { return {}; }
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// @errors kUnsupported: the device's compiler is missing. May start it: any thread, blocks.
  virtual Result<DeviceInfo> info() = 0;

  /// @errors as CompileService::compile.
  virtual Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                                       bool fresh) = 0;

  /// A worker with `image` and `plan` loaded: a fresh one, or one of the plan's owner. The arena is
  /// shared with it.
  /// @errors kIo, kDeviceLost: the worker could not be started or died while loading; kInternal:
  /// it refused the image.
  virtual Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                                std::shared_ptr<Arena> arena) = 0;

  /// The device that runs a trusted kernel in `language` for this one: another one, where this
  /// one does not take the language.
  virtual Backend& for_reference(std::string_view /*language*/) { return *this; }

  /// Waits until no other computation of this server would disturb measurements, and keeps
  /// it so until the hold ends. A GPU has a clock of its own, so there is nothing to wait for.
  /// @errors kCancelled.
  virtual Result<CoreGate::Hold> quiet(const std::stop_token& /*stop*/) { return CoreGate::Hold(); }

  /// Starts in the background the processes that the first compile and the first run will need.
  virtual void warm() = 0;
};

}  // namespace ws
