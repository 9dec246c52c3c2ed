#include "runtime/device/cuda/timer.h"

#include <algorithm>

#include "runtime/base/hash.h"
#include "runtime/base/parallel.h"

namespace ws::cuda {
namespace {

constexpr int kEmptySamples = 5;
/// A clock this much below the median marks its sample.
constexpr double kThrottledShare = 0.9;
constexpr std::uint64_t kMinFlushBytes = std::uint64_t{128} << 20U;

std::uint64_t aligned(std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 16;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_clock(const std::vector<TimingSample>& samples) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const TimingSample& sample : samples) {
    values.push_back(sample.sm_mhz);
  }
  return median(std::move(values));
}

}  // namespace

Result<std::unique_ptr<Timer>> Timer::create(Context& context, PlanRunner& runner, Nvml* nvml) {
  std::unique_ptr<Timer> timer(new Timer(context, runner, nvml));
  Driver& driver = context.driver();
  std::uint64_t variable_bytes = 0;
  for (const PlanRunner::Variable& variable : runner.variables()) {
    variable_bytes += aligned(variable.bytes);
  }
  timer->first_values_bytes_ = variable_bytes;
  timer->flush_bytes_ = std::max(context.device().l2_bytes * 2 + 4096, kMinFlushBytes);
  WS_TRY(timer->pristine_, allocate(driver, runner.bytes()));
  WS_TRY(timer->first_values_, allocate(driver, variable_bytes));
  WS_TRY(timer->flush_, allocate(driver, timer->flush_bytes_));
  WS_TRY(timer->start_, make_event(driver));
  WS_TRY(timer->stop_, make_event(driver));
  WS_CHECK(runner.poison_local(0));  // Its first launch.
  WS_CHECK(context.synchronize());
  return timer;
}

/// A fresh module; keeps what its variables hold first.
Status Timer::load_module() {
  WS_CHECK(runner_.renew_module());
  CuDevicePtr at = first_values_.get();
  for (const PlanRunner::Variable& variable : runner_.variables()) {
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, at, variable.address, variable.bytes,
                        context_.stream()));
    at += aligned(variable.bytes);
  }
  return {};
}

Status Timer::restore() {
  Driver& driver = context_.driver();
  WS_CHECK(WS_CU_CALL(driver, cuMemcpyDtoDAsync, runner_.mirror(), pristine_.get(), runner_.bytes(),
                      context_.stream()));
  CuDevicePtr at = first_values_.get();
  for (const PlanRunner::Variable& variable : runner_.variables()) {
    WS_CHECK(WS_CU_CALL(driver, cuMemcpyDtoDAsync, variable.address, at, variable.bytes,
                        context_.stream()));
    at += aligned(variable.bytes);
  }
  return runner_.fill_symbols();
}

Status Timer::enqueue(const TimingRequest& request, bool with_launches) {
  Driver& driver = context_.driver();
  const CuStream stream = context_.stream();
  const auto seed = static_cast<std::uint32_t>(request.poison >> 16U);
  WS_CHECK(runner_.poison_local(seed));  // First: it takes the place of other things in the cache.
  WS_CHECK(restore());
  WS_CHECK(context_.poison_shared(seed));
  if (request.hot == 0) {
    WS_CHECK(WS_CU_CALL(driver, cuMemsetD32Async, flush_.get(), seed,
                        flush_bytes_ / sizeof(std::uint32_t), stream));
  }
  WS_CHECK(
      WS_CU_CALL(driver, cuEventRecordWithFlags, start_.get(), stream, kCuEventRecordExternal));
  for (std::size_t i = 0; with_launches && i < runner_.steps(); ++i) {
    WS_CHECK(runner_.launch(i));
  }
  return WS_CU_CALL(driver, cuEventRecordWithFlags, stop_.get(), stream, kCuEventRecordExternal);
}

Result<GraphExec> Timer::capture(const TimingRequest& request, bool with_launches) {
  Driver& driver = context_.driver();
  WS_CHECK(WS_CU_CALL(driver, cuStreamBeginCapture, context_.stream(), kCuCaptureThreadLocal));
  const Status enqueued = enqueue(request, with_launches);
  CuGraph captured = nullptr;
  const CuResult ended = driver.api().cuStreamEndCapture(context_.stream(), &captured);
  const Graph graph(driver, captured);
  WS_CHECK(enqueued);  // It says more than the capture that it broke.
  WS_CHECK(driver.check(ended, "cuStreamEndCapture"));
  CuGraphExec ready = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuGraphInstantiateWithFlags, &ready, graph.get(), 0));
  return GraphExec(driver, ready);
}

Result<Timer::Window> Timer::prepare(const TimingRequest& request, bool with_launches) {
  Window window{with_launches, {}};
  if (context_.driver().dialect().graphs) {
    WS_TRY(window.graph, capture(request, with_launches));
  }
  return window;
}

Result<TimingSample> Timer::sample(const TimingRequest& request, const Window& window) {
  Driver& driver = context_.driver();
  if (window.graph.valid()) {
    WS_CHECK(WS_CU_CALL(driver, cuGraphLaunch, window.graph.get(), context_.stream()));
  } else {
    WS_CHECK(enqueue(request, window.with_launches));
  }
  WS_CHECK(context_.synchronize());
  float milliseconds = 0;
  WS_CHECK(WS_CU_CALL(driver, cuEventElapsedTime, &milliseconds, start_.get(), stop_.get()));
  return TimingSample{.us = double{milliseconds} * 1000,
                      .sm_mhz = nvml_ == nullptr ? 0 : nvml_->sm_clock()};
}

Result<std::uint64_t> Timer::hash_variables(std::uint64_t secret) {
  // A fresh module, as a plan with hidden variables gets for each sample, may hold other addresses.
  std::vector<std::byte> values(runner_.has_hidden_variables() ? 0 : first_values_bytes_);
  if (!values.empty()) {
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoHAsync, values.data(), first_values_.get(),
                        values.size(), context_.stream()));
  }
  WS_CHECK(context_.synchronize());
  return fast_hash(values.data(), values.size(), secret);
}

Result<bool> Timer::sources_are(std::uint64_t arena, std::uint64_t variables,
                                std::uint64_t secret) {
  copy_.resize(runner_.bytes());
  WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoHAsync, copy_.data(), pristine_.get(),
                      copy_.size(), context_.stream()));
  WS_TRY(const std::uint64_t variables_now, hash_variables(secret));
  return variables_now == variables && wide_hash(copy_, secret) == arena;
}

Result<double> Timer::empty_us(const TimingRequest& request) {
  if (empty_us_) {
    return *empty_us_;
  }
  WS_TRY(const Window empty, prepare(request, /*with_launches=*/false));
  std::vector<double> all;
  for (int i = 0; i < kEmptySamples; ++i) {
    WS_TRY(const TimingSample taken, sample(request, empty));
    all.push_back(taken.us);
  }
  empty_us_ = median(std::move(all));
  return *empty_us_;
}

Result<TimingOutcome> Timer::time(const TimingRequest& request) {
  TimingOutcome timing;
  // Not the lowest bit: callers set it, as a poison is never 0.
  timing.kept = static_cast<std::uint32_t>((request.poison >> 1U) % request.launches);
  WS_CHECK(load_module());
  WS_CHECK(runner_.upload(pristine_.get()));
  context_.driver().api().cuCtxResetPersistingL2Cache();  // Not every GPU has such lines.
  const std::uint64_t arena = wide_hash(runner_.host(), request.poison);
  WS_TRY(const std::uint64_t variables, hash_variables(request.poison));
  WS_TRY(timing.empty_us, empty_us(request));
  WS_TRY(Window window, prepare(request, /*with_launches=*/true));
  for (std::uint32_t i = 0; i < request.launches; ++i) {
    if (i > 0 && runner_.has_hidden_variables()) {
      window = Window();
      WS_CHECK(load_module());
      WS_TRY(window, prepare(request, /*with_launches=*/true));
    }
    WS_TRY(const TimingSample taken, sample(request, window));
    timing.samples.push_back(taken);
    if (i == timing.kept) {
      WS_CHECK(runner_.download());
      WS_CHECK(context_.synchronize());
    }
  }
  WS_TRY(const bool sound, sources_are(arena, variables, request.poison));
  if (!sound) {
    timing.run.reply.status = RunStatus::kTampered;
  }
  if (nvml_ != nullptr) {
    const double typical = median_clock(timing.samples);
    for (TimingSample& taken : timing.samples) {
      taken.throttled = taken.sm_mhz < typical * kThrottledShare;
    }
    const Nvml::State& state = nvml_->state();
    timing.memory_mhz = state.memory_mhz;
    timing.throttle_reasons = state.throttle_reasons;
    timing.processes = state.processes;
  }
  return timing;
}

}  // namespace ws::cuda
