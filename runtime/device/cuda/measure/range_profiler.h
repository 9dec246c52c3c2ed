// The counters of one range of launches, collected over as many passes as the chip needs: each pass
// runs the same launches on the same inputs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/device/cuda/driver/cupti.h"
#include "runtime/device/hardware_counters.h"

namespace ws::cuda {

class RangeProfiler {
 public:
  /// Makes the device ready to count kHardwareMetrics.
  ///
  /// @param device   Its index, as the driver counts.
  /// @param context  Current on this thread. @errors as check_cupti.
  static Result<std::unique_ptr<RangeProfiler>> create(const Cupti& cupti, CuContext context,
                                                       int device);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// @param prepare  Before each pass, not counted: restores what the launches read.
  /// @param launch   What is counted: enqueues the launches and waits for them.
  /// @errors What they answer; as check_cupti; kInternal: more passes than are worth it.
  Result<HardwareCounters> measure(const std::function<Status()>& prepare,
                                   const std::function<Status()>& launch);

 private:
  RangeProfiler(const Cupti& cupti, CuContext context)
      : cupti_(cupti),
        context_(context) {}

  Status open_host(int device);
  /// The metrics that the chip has; the others are named in missing_.
  Status choose_metrics();
  Status make_images();
  Status one_pass(const std::function<Status()>& prepare, const std::function<Status()>& launch,
                  bool& done);

  const Cupti& cupti_;
  CuContext context_;
  CuptiHost* host_ = nullptr;
  CuptiRanges* ranges_ = nullptr;
  std::vector<std::uint8_t> availability_;
  std::vector<std::uint8_t> config_;
  std::vector<std::uint8_t> data_;
  std::vector<std::size_t> chosen_;  ///< Indices into kHardwareMetrics.
  std::vector<const char*> metrics_;
  std::vector<std::string> missing_;
};

}  // namespace ws::cuda
