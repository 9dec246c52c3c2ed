#include "runtime/device/cuda/measure/range_profiler.h"

namespace ws::cuda {
namespace {

/// The set above takes about ten on sm_90.
constexpr std::size_t kMostPasses = 64;
constexpr const char* kRangeName = "plan";

}  // namespace

Result<std::unique_ptr<RangeProfiler>> RangeProfiler::create(const Cupti& cupti, CuContext context,
                                                             int device) {
  std::unique_ptr<RangeProfiler> profiler(new RangeProfiler(cupti, context));
  CuptiInitialize initialize;
  WS_CHECK(WS_CUPTI_CALL(cupti, cuptiProfilerInitialize, initialize));
  WS_CHECK(profiler->open_host(device));
  WS_CHECK(profiler->choose_metrics());
  CuptiEnable enable;
  enable.context = context;
  WS_CHECK(WS_CUPTI_CALL(cupti, cuptiRangeProfilerEnable, enable));
  profiler->ranges_ = enable.ranges;
  WS_CHECK(profiler->make_images());
  return profiler;
}

RangeProfiler::~RangeProfiler() {
  if (ranges_ != nullptr) {
    CuptiRangesOnly disable;
    disable.ranges = ranges_;
    cupti_.api().cuptiRangeProfilerDisable(&disable);
  }
  if (host_ != nullptr) {
    CuptiHostDeinitialize end;
    end.host = host_;
    cupti_.api().cuptiProfilerHostDeinitialize(&end);
  }
}

Status RangeProfiler::open_host(int device) {
  CuptiChipName chip;
  chip.device = static_cast<std::size_t>(device);
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiDeviceGetChipName, chip));
  CuptiCounterAvailability available;
  available.context = context_;
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerGetCounterAvailability, available));
  availability_.resize(available.image_bytes);
  available.image = availability_.data();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerGetCounterAvailability, available));
  CuptiHostInitialize host;
  host.chip = chip.name;
  host.availability = availability_.data();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerHostInitialize, host));
  host_ = host.host;
  return {};
}

Status RangeProfiler::choose_metrics() {
  for (std::size_t i = 0; i < kHardwareMetrics.size(); ++i) {
    const char* name = kHardwareMetrics[i].metric;
    CuptiAddMetrics add;
    add.host = host_;
    add.names = &name;
    add.count = 1;
    // One at a time: a chip that lacks one refuses all that come with it.
    if (cupti_.api().cuptiProfilerHostConfigAddMetrics(&add) == kCuptiSuccess) {
      chosen_.push_back(i);
      metrics_.push_back(name);
    } else {
      missing_.emplace_back(kHardwareMetrics[i].name);
    }
  }
  if (metrics_.empty()) {
    return fail(ErrorCode::kUnsupported, "the GPU has none of the counters that are asked for");
  }
  CuptiConfigImageSize size;
  size.host = host_;
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerHostGetConfigImageSize, size));
  config_.resize(size.bytes);
  CuptiConfigImage image;
  image.host = host_;
  image.bytes = config_.size();
  image.image = config_.data();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerHostGetConfigImage, image));
  CuptiPasses passes;
  passes.image_bytes = config_.size();
  passes.image = config_.data();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerHostGetNumOfPasses, passes));
  return passes.passes <= kMostPasses
             ? Status()
             : fail(ErrorCode::kInternal,
                    "the counters would take " + std::to_string(passes.passes) + " passes");
}

Status RangeProfiler::make_images() {
  CuptiCounterDataSize size;
  size.ranges = ranges_;
  size.names = metrics_.data();
  size.count = metrics_.size();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerGetCounterDataSize, size));
  data_.resize(size.bytes);
  CuptiCounterDataInitialize initialize;
  initialize.ranges = ranges_;
  initialize.bytes = data_.size();
  initialize.data = data_.data();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerCounterDataImageInitialize, initialize));
  CuptiSetConfig config;
  config.ranges = ranges_;
  config.config_bytes = config_.size();
  config.config = config_.data();
  config.data_bytes = data_.size();
  config.data = data_.data();
  return WS_CUPTI_CALL(cupti_, cuptiRangeProfilerSetConfig, config);
}

Status RangeProfiler::one_pass(const std::function<Status()>& prepare,
                               const std::function<Status()>& launch, bool& done) {
  WS_CHECK(prepare());
  CuptiRangesOnly only;
  only.ranges = ranges_;
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerStart, only));
  CuptiPush push;
  push.ranges = ranges_;
  push.name = kRangeName;
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerPushRange, push));
  WS_CHECK(launch());
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerPopRange, only));
  CuptiStop stop;
  stop.ranges = ranges_;
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerStop, stop));
  done = stop.all_passes != 0;
  return {};
}

Result<HardwareCounters> RangeProfiler::measure(const std::function<Status()>& prepare,
                                                const std::function<Status()>& launch) {
  HardwareCounters counters;
  counters.missing = missing_;
  for (bool done = false; !done; ++counters.passes) {
    if (counters.passes == kMostPasses) {
      return fail(ErrorCode::kInternal,
                  "the counters are not done after " + std::to_string(kMostPasses) + " passes");
    }
    WS_CHECK(one_pass(prepare, launch, done));
  }
  CuptiDecode decode;
  decode.ranges = ranges_;
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiRangeProfilerDecodeData, decode));
  std::vector<double> values(metrics_.size());
  CuptiEvaluate evaluate;
  evaluate.host = host_;
  evaluate.data = data_.data();
  evaluate.data_bytes = data_.size();
  evaluate.names = metrics_.data();
  evaluate.count = metrics_.size();
  evaluate.values = values.data();
  WS_CHECK(WS_CUPTI_CALL(cupti_, cuptiProfilerHostEvaluateToGpuValues, evaluate));
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    counters.values[kHardwareMetrics[chosen_[i]].name] = values[i];
  }
  return counters;
}

}  // namespace ws::cuda
