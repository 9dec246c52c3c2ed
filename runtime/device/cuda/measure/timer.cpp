#include "runtime/device/cuda/measure/timer.h"

#include <algorithm>

#include "runtime/base/parallel.h"
#include "runtime/device/cuda/worker/cache_flush.h"
#include "runtime/device/cuda/worker/captured_graph.h"

namespace ws::cuda {
namespace {

constexpr int kEmptySamples = 5;
/// Fewer launches without work than this come before a sample.
constexpr std::uint64_t kMostOthers = 4;
/// A clock this much below the median marks its sample.
constexpr double kThrottledShare = 0.9;

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
  WS_TRY(OutputDigests digests, OutputDigests::create(context, runner));
  std::unique_ptr<Timer> timer(new Timer(context, runner, nvml, std::move(digests)));
  Driver& driver = context.driver();
  std::uint64_t variable_bytes = 0;
  for (const PlanRunner::Variable& variable : runner.variables()) {
    variable_bytes += aligned(variable.bytes);
  }
  WS_TRY(timer->pristine_, allocate_pages(driver, runner.bytes()));
  WS_TRY(timer->first_values_, allocate_pages(driver, variable_bytes));
  WS_TRY(timer->copy_, HostPages::create(driver, runner.bytes()));
  WS_TRY(timer->start_, make_event(driver));
  WS_TRY(timer->stop_, make_event(driver));
  WS_TRY(timer->done_, make_event(driver));
  return timer;
}

Status Timer::keep_first_values() {
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
  WS_CHECK(inputs_.restore_fixed(pristine_.get()));
  CuDevicePtr at = first_values_.get();
  for (const PlanRunner::Variable& variable : runner_.variables()) {
    WS_CHECK(WS_CU_CALL(driver, cuMemcpyDtoDAsync, variable.address, at, variable.bytes,
                        context_.stream()));
    at += aligned(variable.bytes);
  }
  return runner_.fill_symbols();
}

Status Timer::make_evictable() {
  WS_CHECK(context_.make_evictable(runner_.mirror(), runner_.bytes()));
  for (const PlanRunner::Variable& variable : runner_.variables()) {
    WS_CHECK(context_.make_evictable(variable.address, variable.bytes));
  }
  return {};
}

Status Timer::scrub_tails(std::uint32_t word) {
  WS_CHECK(runner_.scrub_tail(word));
  for (const Region* region : {&pristine_, &first_values_}) {
    WS_CHECK(overwrite(context_.driver(), context_.stream(), *region, region->bytes, word));
  }
  return digests_.scrub(word);
}

Status Timer::enqueue_lead(const TimingRequest& request) {
  const std::uint32_t word = poison_keys(request.poison, "tail", 0).front();
  // First: it takes the place of other things in the cache.
  WS_CHECK(runner_.poison_local(poison_keys(request.poison, "local", 0)));
  WS_CHECK(make_evictable());
  WS_CHECK(restore());
  WS_CHECK(scrub_tails(word));
  WS_CHECK(context_.poison_shared(poison_keys(request.poison, "shared", 0)));
  return overwrite(context_.driver(), context_.stream(), flush_, 0, word);
}

Status Timer::enqueue_timed(bool with_launches) {
  Driver& driver = context_.driver();
  const CuStream stream = context_.stream();
  WS_CHECK(
      WS_CU_CALL(driver, cuEventRecordWithFlags, start_.get(), stream, kCuEventRecordExternal));
  for (std::size_t i = 0; with_launches && i < runner_.steps(); ++i) {
    WS_CHECK(runner_.launch(i));
  }
  return WS_CU_CALL(driver, cuEventRecordWithFlags, stop_.get(), stream, kCuEventRecordExternal);
}

Result<Timer::Window> Timer::prepare(const TimingRequest& request, bool with_launches) {
  Window window{.lead = {[this, request] { return enqueue_lead(request); }, {}},
                .timed = {[this, with_launches] { return enqueue_timed(with_launches); }, {}}};
  if (context_.driver().dialect().graphs) {
    WS_TRY(window.lead.graph, ready_graph(context_, window.lead.enqueue));
    WS_TRY(window.timed.graph, ready_graph(context_, window.timed.enqueue));
  }
  return window;
}

Status Timer::start(const Part& part) {
  if (!part.graph.valid()) {
    return part.enqueue();
  }
  return WS_CU_CALL(context_.driver(), cuGraphLaunch, part.graph.get(), context_.stream());
}

Status Timer::start_lead(const Window& window, std::uint64_t inputs) {
  // These are not in the graph, which is the same for all launches. The number of a launch's grid
  // says nothing if any number of others may have come before it.
  for (std::uint64_t others = draws_() % kMostOthers; others > 0; --others) {
    WS_CHECK(context_.make_evictable(runner_.mirror(), 0));
  }
  WS_CHECK(inputs_.restore_rotated(pristine_.get(), inputs));
  return start(window.lead);
}

Result<TimingSample> Timer::sample(const Window& window, const ScheduledLaunch& launch,
                                   const ScheduledLaunch* next) {
  Driver& driver = context_.driver();
  WS_CHECK(start(window.timed));
  WS_CHECK(WS_CU_CALL(driver, cuEventRecordWithFlags, done_.get(), context_.stream(), 0));
  if (launch.shared) {
    WS_CHECK(digests_.take(*launch.shared, launch.inputs));
  }
  if (next != nullptr) {
    WS_CHECK(start_lead(window, next->inputs));
  }
  WS_CHECK(WS_CU_CALL(driver, cuEventSynchronize, done_.get()));
  float milliseconds = 0;
  WS_CHECK(WS_CU_CALL(driver, cuEventElapsedTime, &milliseconds, start_.get(), stop_.get()));
  return TimingSample{.us = double{milliseconds} * 1000,
                      .sm_mhz = nvml_ == nullptr ? 0 : nvml_->sm_clock()};
}

Status Timer::take_samples(const TimingRequest& request, Window window, TimingOutcome& timing) {
  const std::vector<ScheduledLaunch> launches = schedule_launches(request, draws_);
  WS_CHECK(digests_.start(request.shared));
  bool led = false;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const bool fresh_module = runner_.has_hidden_variables();
    if (i > 0 && fresh_module) {
      window = Window();
      WS_CHECK(runner_.renew_module());
      WS_CHECK(keep_first_values());
      WS_TRY(window, prepare(request, /*with_launches=*/true));
    }
    const ScheduledLaunch& launch = launches[i];
    if (!led) {
      WS_CHECK(start_lead(window, launch.inputs));
    }
    led = window.lead.graph.valid() && i + 1 < launches.size() && !launch.kept && !fresh_module;
    WS_TRY(const TimingSample taken, sample(window, launch, led ? &launches[i + 1] : nullptr));
    timing.samples.push_back(taken);
    if (launch.kept) {
      timing.kept = static_cast<std::uint32_t>(i);
      WS_CHECK(inputs_.download(launch.inputs));
      WS_CHECK(context_.synchronize());
    }
  }
  WS_CHECK(context_.synchronize());
  timing.digests = digests_.taken();
  return {};
}

Result<std::vector<std::byte>> Timer::read_first_values() {
  // A fresh module, as a plan with hidden variables gets for each sample, may hold other addresses.
  std::vector<std::byte> values(runner_.has_hidden_variables() ? 0 : first_values_.bytes);
  if (!values.empty()) {
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoHAsync, values.data(), first_values_.get(),
                        values.size(), context_.stream()));
    WS_CHECK(context_.synchronize());
  }
  return values;
}

Status Timer::read_pristine() {
  const std::span<std::byte> copy = copy_.bytes();
  WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoHAsync, copy.data(), pristine_.get(),
                      copy.size(), context_.stream()));
  return context_.synchronize();
}

Status Timer::measure_empty(const TimingRequest& request) {
  WS_CHECK(runner_.poison_local(PoisonKeys{}));  // Its first launch.
  WS_CHECK(context_.synchronize());
  WS_TRY(const Window empty, prepare(request, /*with_launches=*/false));
  std::vector<double> all;
  for (int i = 0; i < kEmptySamples; ++i) {
    const ScheduledLaunch none;
    WS_CHECK(start_lead(empty, none.inputs));
    WS_TRY(const TimingSample taken, sample(empty, none, nullptr));
    all.push_back(taken.us);
  }
  empty_us_ = median(std::move(all));
  return {};
}

void Timer::note_clocks(TimingOutcome& timing) {
  if (nvml_ == nullptr) {
    return;
  }
  const double typical = median_clock(timing.samples);
  for (TimingSample& taken : timing.samples) {
    taken.throttled = taken.sm_mhz < typical * kThrottledShare;
  }
  const Nvml::State& state = nvml_->state();
  timing.memory_mhz = state.memory_mhz;
  timing.throttle_reasons = state.throttle_reasons;
  timing.processes = state.processes;
}

Status Timer::prepare_flush(const TimingRequest& request) {
  if (request.hot != 0) {
    flush_ = Region();
  } else if (flush_.bytes == 0) {
    WS_TRY(flush_, flush_region(context_));
  }
  return {};
}

Result<Timer::Window> Timer::make_ready(const TimingRequest& request, DeviceTurn& turn) {
  WS_CHECK(prepare_flush(request));
  if (!runner_.module_is_fresh()) {
    WS_CHECK(turn.take());  // Its variables may be large, and the device writes them all.
    WS_CHECK(runner_.renew_module());
  }
  if (!empty_us_) {
    WS_CHECK(turn.take());
    WS_CHECK(runner_.upload(pristine_.get()));
    WS_CHECK(keep_first_values());
    WS_CHECK(measure_empty(request));
  }
  return prepare(request, /*with_launches=*/true);
}

Result<TimingOutcome> Timer::time(const TimingRequest& request, DeviceTurn& turn) {
  TimingOutcome timing;
  const std::uint64_t arena = wide_hash(runner_.host(), request.poison);
  WS_TRY(Window window, make_ready(request, turn));
  timing.empty_us = *empty_us_;
  WS_CHECK(turn.take());
  WS_CHECK(runner_.upload(pristine_.get()));
  WS_CHECK(keep_first_values());
  context_.driver().api().cuCtxResetPersistingL2Cache();  // Not every GPU has such lines.
  WS_TRY(const std::vector<std::byte> first_values, read_first_values());
  WS_CHECK(take_samples(request, std::move(window), timing));
  WS_TRY(const std::vector<std::byte> values_now, read_first_values());
  WS_CHECK(read_pristine());
  note_clocks(timing);
  WS_CHECK(turn.give_back());
  if (values_now != first_values || wide_hash(copy_.bytes(), request.poison) != arena) {
    timing.run.reply.status = RunStatus::kTampered;
  }
  return timing;
}

}  // namespace ws::cuda
