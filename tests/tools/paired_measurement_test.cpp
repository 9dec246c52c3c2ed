// Paired measurements on a GPU, with the fake driver: the two sides' work, and the report of it.
#include "runtime/evaluate/measure/paired_measurement.h"

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/judge/layout.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

constexpr const char* kProblem = R"json({
  "name": "bump", "op": "bump", "dims": {"n": [64]},
  "args": [{"name": "values", "type": "i32", "shape": ["n"], "role": "inout"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "add_one",
    "source": "__global__ void add_one(int* values, int n) {}\n",
    "launches": [{"entry": "add_one", "grid": ["1"], "block": ["1"], "args": ["values", "n"]}]}})json";

/// How long others have the device before each measurement, and the time spent on that so far.
struct Others {
  std::chrono::milliseconds each{0};
  double all_ms = 0;
  /// The kernel takes eight times as long where all inputs, of type f32, are positive.
  bool slow_on_positive = false;
  int opened = 0;  ///< Sessions so far: the kernel's is the first one.
};

bool are_positive(std::span<const std::byte> floats) {
  for (std::size_t i = 0; i < floats.size() / sizeof(float); ++i) {
    if (load_element(DType::kF32, floats.data(), i) < 0) {
      return false;
    }
  }
  return true;
}

/// One whose device others have for a while before each measurement.
class Waiting : public Session {
 public:
  /// @param inputs  Those that its time depends on; null: it does not.
  Waiting(std::unique_ptr<Session> inner, Others& others, std::shared_ptr<Arena> inputs)
      : inner_(std::move(inner)),
        others_(others),
        inputs_(std::move(inputs)) {}

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override {
    return inner_->run(poison, limit, stop);
  }

  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override {
    std::this_thread::sleep_for(others_.each);
    others_.all_ms += static_cast<double>(others_.each.count());
    const bool slow = inputs_ != nullptr && are_positive(inputs_->buffer(0));
    WS_TRY(TimingOutcome timing, inner_->time(request, limit, stop));
    for (TimingSample& sample : timing.samples) {
      sample.us *= slow ? 8 : 1;
    }
    return timing;
  }

 private:
  std::unique_ptr<Session> inner_;
  Others& others_;
  std::shared_ptr<Arena> inputs_;
};

/// The fake GPU without a compiler: images are made by hand.
class Uncompiled : public Backend {
 public:
  explicit Uncompiled(Others& others)
      : others_(others) {}

  Result<DeviceInfo> info() override { return DeviceInfo{.id = "cuda:0", .backend = "cuda"}; }

  Result<CompileReply> compile(const CompileRequest& /*request*/, const std::stop_token& /*stop*/,
                               bool /*fresh*/) override {
    return fail(ErrorCode::kUnsupported, "no compiler");
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    WS_TRY(std::unique_ptr<Session> session, gpu_->open(image, plan, arena));
    const bool kernel = others_.opened++ == 0;
    return std::make_unique<Waiting>(std::move(session), others_,
                                     kernel && others_.slow_on_positive ? arena : nullptr);
  }

  void warm() override {}

 private:
  Others& others_;
  std::unique_ptr<Backend> gpu_ = fake_gpu();
};

const Workload kWorkload{{{"n", 64}}, {}};

/// The problem's plan, with another entry.
Compiled compiled_entry(const Problem& problem, const std::string& entry) {
  Compiled compiled;
  compiled.plan = *resolve_plan(problem, *problem.reference, kWorkload, {});
  compiled.plan.steps[0].entry = entry;
  compiled.plan.buffers[0].rotation_step = 1;
  auto outcome = std::make_shared<CompileOutcome>();
  outcome->image = fake_image({entry});
  compiled.reply.outcome = std::move(outcome);
  return compiled;
}

PairedOptions quick() {
  PairedOptions options;
  options.time_budget_ms = 50;
  options.min_time_ms = 1;
  return options;
}

PairedMeasurementResult duel_of(const std::string& kernel, const std::string& baseline,
                                const PairedOptions& paired, Others& others,
                                const std::string& form = kProblem) {
  Uncompiled backend(others);
  const auto problem = parse_problem(form);
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  PairedMeasurementOptions options;
  options.secret = 11;
  options.hot = true;  // The fake flushes a cache by writing 128 MiB of the host's memory.
  options.paired = paired;
  options.limit = std::chrono::milliseconds(1000);
  const auto measurement =
      PairedMeasurement::start(backend, *problem, kWorkload, compiled_entry(*problem, kernel),
                               compiled_entry(*problem, baseline), options);
  REQUIRE_MESSAGE(measurement.has_value(), to_text(measurement.error()));
  const auto result = (*measurement)->run({});
  REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
  return *result;
}

PairedMeasurementResult duel_of(const std::string& kernel, const std::string& baseline) {
  Others nobody;
  return duel_of(kernel, baseline, quick(), nobody);
}

struct Row {
  const char* name;
  const char* kernel;
  const char* baseline;
  const char* problem_found;
};

// The fake device stands still at the first fault: the calibration finds it.
constexpr Row kRows[] = {
    {"other results", "twice", "add_one",
     "in a timed launch, output `values` differs from the baseline's in "},
    {"results of a launch before", "replays", "add_one",
     "in a timed launch, output `values` differs from the baseline's in "},
    {"a fault of the kernel", "fault_700", "add_one",
     "the kernel: launches[0] (`fault_700`): a thread read or wrote an address where no buffer "
     "is"},
    {"a fault of the baseline", "add_one", "fault_700",
     "the baseline: launches[0] (`fault_700`): a thread read or wrote an address where no buffer "
     "is"},
    {"a write past the end", "past_end", "add_one",
     "the kernel: memory 0 bytes after the end of `values` was written"},
    {"a launch that tampers", "spoil_copies", "add_one",
     "the kernel: a launch wrote to memory of the worker that no argument points into"},
    {"a hang", "hang", "add_one", "the kernel: the kernel ran past its limit of "},
};

}  // namespace

TEST_SUITE("tools.paired_measurement") {
  TEST_CASE("a measurement says what it has from its first sample on") {
    Others nobody;
    Uncompiled backend(nobody);
    const auto problem = parse_problem(kProblem);
    REQUIRE(problem.has_value());
    std::vector<TimedSoFar> told;
    PairedMeasurementOptions options;
    options.secret = 11;
    options.hot = true;
    options.paired = quick();
    options.limit = std::chrono::milliseconds(1000);
    options.progress = [&told](const TimedSoFar& so_far) { told.push_back(so_far); };
    const auto measurement =
        PairedMeasurement::start(backend, *problem, kWorkload, compiled_entry(*problem, "add_one"),
                                 compiled_entry(*problem, "add_one"), options);
    REQUIRE(measurement.has_value());
    REQUIRE((*measurement)->run({}).has_value());
    REQUIRE_FALSE(told.empty());
    CHECK(told.front().samples == 1);
    CHECK(told.front().kernel_us > 0);
    CHECK(told.front().noise == 0);
    CHECK(told.front().spent_ms > 0);
  }

  TEST_CASE("the same kernel on both sides takes as long, by the device's clock") {
    const PairedMeasurementResult result = duel_of("add_one", "add_one");
    CHECK(result.problem_found == "");
    CHECK(result.times.ratio == doctest::Approx(1));
    // One tick of the fake's clock for each launch; 50 launches at the most in a block.
    for (const double us : result.times.kernel_us) {
      CHECK(us == doctest::Approx(1));
    }
    const auto blocks = static_cast<std::int64_t>(result.times.kernel_us.size());
    CHECK(result.clocks.launches ==
          std::int64_t{2} * 50 * (blocks + 1));  // One block of each warms up.
    CHECK(result.clocks.throttled == 0);
  }

  TEST_CASE(
      "who waits for others to be done with the device measures as long as one who does not") {
    Others others{.each = std::chrono::milliseconds(5)};
    PairedOptions options = quick();
    options.min_time_ms = 1e9;  // It ends for no other reason than time or its most blocks.
    options.max_blocks = 15;
    // Only what is waited for takes time by this clock, 150 ms: three times the budget.
    options.now_ms = [&others] { return others.all_ms; };
    const PairedMeasurementResult result = duel_of("add_one", "add_one", options, others);
    CHECK(result.times.stop == StopReason::kMaxBlocks);
  }

  TEST_CASE("a kernel that is slow on one distribution of its inputs is slow") {
    std::string form = kProblem;
    form.replace(form.find("\"i32\""), 5, "\"f32\"");
    Others others{.slow_on_positive = true};
    PairedOptions options = quick();
    options.time_budget_ms = 1;  // The fewest blocks, with five of each distribution at least.
    const PairedMeasurementResult result = duel_of("add_one", "add_one", options, others, form);
    CHECK(result.problem_found == "");
    CHECK(result.times.ratio == doctest::Approx(0.125));
    CHECK(result.times.ratio_ci.high == doctest::Approx(0.125));
    CHECK(result.times.kernel_us.size() >= 4);
    for (const double us : result.times.kernel_us) {
      CHECK(us == doctest::Approx(8));
    }
  }

  TEST_CASE("what goes wrong in a timed launch is a finding that names the side, never an error") {
    for (const Row& row : kRows) {
      CAPTURE(std::string(row.name));
      const PairedMeasurementResult result = duel_of(row.kernel, row.baseline);
      CAPTURE(result.problem_found);
      CHECK(result.problem_found.starts_with(row.problem_found));
      CHECK(result.times.kernel_us.empty());
    }
  }
}

}  // namespace ws::test
