// The GPU's own counters for one run of a plan. There is one list of metrics for all callers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/device/arena.h"
#include "runtime/device/run_plan.h"

namespace ws {

struct HardwareMetric {
  const char* name;    ///< Ours.
  const char* metric;  ///< NVIDIA's, as Nsight Compute has it.
  const char* unit;
};

/// The metrics are few, so that few passes are enough. Metrics that a chip lacks are left out.
inline constexpr std::array kHardwareMetrics = {
    HardwareMetric{"duration", "gpu__time_duration.sum", "ns"},
    HardwareMetric{"sm_percent", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    HardwareMetric{"memory_percent",
                   "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    HardwareMetric{"dram_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"},
    HardwareMetric{"dram_bytes", "dram__bytes.sum", "bytes"},
    HardwareMetric{"l2_bytes", "lts__t_bytes.sum", "bytes"},
    HardwareMetric{"warp_instructions", "smsp__inst_executed.sum", "instructions"},
    HardwareMetric{"threads_per_warp", "smsp__thread_inst_executed_per_inst_executed.ratio",
                   "threads"},
    HardwareMetric{"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active", "%"},
    HardwareMetric{"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "%"},
    HardwareMetric{"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors"},
    HardwareMetric{"load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests"},
    HardwareMetric{"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors"},
    HardwareMetric{"store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "requests"},
    HardwareMetric{"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                   "sectors"},
    HardwareMetric{"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                   "sectors"},
    HardwareMetric{"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                   "cycles"},
    HardwareMetric{"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "cycles"},
    HardwareMetric{"stall_long_scoreboard",
                   "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                   "warps"},
    HardwareMetric{"stall_short_scoreboard",
                   "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
                   "warps"},
    HardwareMetric{"stall_barrier",
                   "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "warps"},
    HardwareMetric{"stall_math_pipe",
                   "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
                   "warps"},
    HardwareMetric{"stall_lg_throttle",
                   "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "warps"},
};

/// The sums over all launches of a plan.
struct HardwareCounters {
  std::map<std::string, double> values;  ///< By HardwareMetric::name.
  std::vector<std::string> missing;      ///< Names that this chip does not have.
  std::size_t passes = 0;                ///< The number of runs.
};

/// An additional interface of a Backend whose device has counters.
class CountsInHardware {
 public:
  virtual ~CountsInHardware() = default;

  /// Runs the plan in a worker of its own, once for each pass, each time on the arena as it is now.
  /// Afterwards the arena is as it was.
  ///
  /// @param limit  The limit for all passes together.
  /// @errors kUnsupported: no library for it, or the counters are refused: what to do about it;
  /// kTimeout; kDeviceLost: the worker died; kCancelled; kBusy: another server times on the device;
  /// kInternal: the kernel failed under replay.
  virtual Result<HardwareCounters> count(const Image& image, const RunPlan& plan,
                                         std::shared_ptr<Arena> arena,
                                         std::chrono::milliseconds limit,
                                         const std::stop_token& stop) = 0;
};

}  // namespace ws
