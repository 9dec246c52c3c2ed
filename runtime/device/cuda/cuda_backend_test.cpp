// The CUDA backend and its real workers, on the fake driver.
#include "runtime/device/cuda/cuda_backend.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/device/cuda/gpu_lock.h"
#include "runtime/device/fault_report.h"
#include "tests/support/contract_device.h"

namespace ws {

TEST_SUITE("device.cuda") {
  using std::chrono::milliseconds;
  using test::ContractDevice;
  using test::ContractRun;

  constexpr milliseconds kLimit{5'000};

  Backend& fake() {
    static const std::unique_ptr<Backend> backend = test::fake_gpu();
    return *backend;
  }

  ContractRun open(const std::string& kernel, int n = 8) {
    return {ContractDevice{"fake", &fake(), test::fake_image}, {kernel}, n};
  }

  /// Our own processes that are GPU workers.
  int workers() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const auto text = [&](const char* file) {
        std::ifstream in(entry.path() / file);
        return std::string(std::istreambuf_iterator<char>(in), {});
      };
      const bool ours =
          text("status").find("PPid:\t" + std::to_string(::getpid()) + "\n") != std::string::npos;
      count += ours && text("cmdline").find("cuda") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  TEST_CASE(
      "while a kernel runs untimed, on a large GPU the workers of the next ones are started") {
    struct Row {
      const char* script;
      int ahead;
    };

    for (const Row& row : {Row{".large", 1}, Row{".small", 1}}) {
      CAPTURE(std::string(row.script));
      const auto backend = test::fake_gpu(row.script);
      const int before = workers();
      ContractRun run(
          {ContractDevice{"fake", backend.get(), test::fake_image}, {"double_values"}, 8});
      REQUIRE(run.session.has_value());
      REQUIRE((*run.session)->run(1, kLimit, {}).has_value());
      // Its own, and one process without a device that the pool keeps.
      const int wanted = before + 1 + 1 + row.ahead;
      for (int i = 0; i < 500 && workers() != wanted; ++i) {
        std::this_thread::sleep_for(milliseconds(10));
      }
      CHECK(workers() == wanted);
    }
  }

  TEST_CASE("a kernel's fault is a verdict that names the launch and the next step") {
    struct Row {
      const char* kernel;
      const char* verdict;
      const char* kind;
      const char* message;
    };

    const Row rows[] = {
        {"fault_700", "runtime_error", "illegal_address",
         "launches[0] (`fault_700`): a thread read or wrote an address where no buffer is, or "
         "its stack overflowed (CUDA error 700); run validate on cpu:0, which names the line"},
        {"fault_716", "runtime_error", "misaligned_address",
         "launches[0] (`fault_716`): a thread used an address that is no multiple of the access's "
         "size: a cast to float4 or the like needs 16 bytes alignment (CUDA error 716); run "
         "validate on cpu:0, which names the line"},
        {"fault_715", "runtime_error", "illegal_instruction",
         "launches[0] (`fault_715`): the kernel trapped, or ran an illegal instruction (CUDA error "
         "715); run validate on cpu:0, which names the line"},
        {"fault_710", "runtime_error", "assertion_failed",
         "the assertion `x > 0` failed at source:4 by thread (31,1,0) of block (2,0,0)"},
        {"fault_702", "timeout", "watchdog",
         "launches[0] (`fault_702`): the display's watchdog stopped the kernel (CUDA error 702)"},
        {"fault_555", "runtime_error", "driver_error",
         "launches[0] (`fault_555`): the driver reported an error (CUDA error 555); run validate "
         "on cpu:0, which names the line"},
        {"refuse_1", "launch_error", "invalid_launch",
         "launches[0] (`refuse_1`): the driver refused the launch: an extent or a size is out of "
         "range (CUDA error 1)"},
        {"refuse_701", "resource_limit", "launch_out_of_resources",
         "launches[0] (`refuse_701`): a block needs more registers than a multiprocessor has: use "
         "fewer threads, or __launch_bounds__ (CUDA error 701)"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.kernel));
      for (const bool timed : {false, true}) {
        const ContractRun run = open(row.kernel);
        REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
        Result<RunOutcome> outcome = fail(ErrorCode::kInternal, "not run");
        if (timed) {
          auto timing = (*run.session)->time({.poison = 3, .launches = 2, .hot = 0}, kLimit, {});
          REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
          outcome = timing->run;
        } else {
          outcome = (*run.session)->run(3, kLimit, {});
          REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
        }
        CHECK_FALSE(outcome->ok());
        const Fault fault = describe_fault(*outcome, run.image, run.plan, kLimit);
        CHECK(name_of(fault.verdict) == row.verdict);
        CHECK(fault.kind == row.kind);
        CHECK(fault.message == row.message);
        const auto again = (*run.session)->run(3, kLimit, {});
        REQUIRE_FALSE(again.has_value());
        CHECK(to_text(again.error()) == "device_lost: the worker process is gone");
      }
    }
  }

  TEST_CASE("the fault's launch is the one that made it") {
    const ContractRun run(ContractDevice{"fake", &fake(), test::fake_image},
                          {"add_one", "add_one", "fault_700"}, 8);
    REQUIRE(run.session.has_value());
    const auto outcome = (*run.session)->run(3, kLimit, {});
    REQUIRE(outcome.has_value());
    CHECK(outcome->reply.step == 2);
  }

  TEST_CASE("after fifty faults in a row the next result is right") {
    for (int i = 0; i < 50; ++i) {
      const ContractRun run = open("fault_719");
      REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
      const auto outcome = (*run.session)->run(3, kLimit, {});
      REQUIRE(outcome.has_value());
      CHECK_FALSE(outcome->ok());
    }
    const ContractRun run = open("add_one");
    REQUIRE(run.session.has_value());
    std::ranges::fill(run.values(), 1);
    const auto outcome = (*run.session)->run(3, kLimit, {});
    REQUIRE(outcome.has_value());
    CHECK(outcome->ok());
    CHECK(run.values()[7] == 2);
  }

  TEST_CASE("a GPU that is lost is an error, no verdict on the kernel") {
    const ContractRun run = open("fault_999");
    REQUIRE(run.session.has_value());
    const auto outcome = (*run.session)->run(3, kLimit, {});
    REQUIRE_FALSE(outcome.has_value());
    CHECK(to_text(outcome.error()) ==
          "device_lost: the GPU was lost (cuStreamSynchronize: FAKE_ERROR_999, as scripted); see "
          "whether nvidia-smi works here");
  }

  TEST_CASE("what a kernel prints is given back, cut, and is no part of the protocol") {
    const ContractRun run = open("prints");
    REQUIRE(run.session.has_value());
    for (int i = 0; i < 2; ++i) {
      std::ranges::fill(run.values(), 41 + i);
      const auto outcome = (*run.session)->run(3, kLimit, {});
      REQUIRE(outcome.has_value());
      CHECK(outcome->text == "value " + std::to_string(41 + i) + "\n");
    }
    const TimingRequest request{.poison = 1, .launches = 1000, .hot = 1};
    const auto timing = (*run.session)->time(request, kLimit, {});
    REQUIRE(timing.has_value());
    CHECK(timing->run.ok());
    CHECK(timing->run.text.size() == RunOutcome::kMaxText);
  }

  TEST_CASE("a window holds the plan's launches and nothing else, flushed or not") {
    const ContractRun run(ContractDevice{"fake", &fake(), test::fake_image},
                          {"add_one", "add_one", "add_one"}, 8);
    REQUIRE(run.session.has_value());
    for (const std::uint32_t hot : {0U, 1U}) {
      const auto timing =
          (*run.session)->time({.poison = 47, .launches = 10, .hot = hot}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      REQUIRE(timing->samples.size() == 10);
      for (const TimingSample& sample : timing->samples) {
        CHECK(sample.us == doctest::Approx(3));  // The fake's clock ticks once for each launch.
      }
      CHECK(timing->empty_us == 0);
      CHECK(timing->kept < 10);
    }
  }

  TEST_CASE("samples of a slowed down clock are marked, with the reasons and who else computes") {
    const auto backend = test::fake_gpu(".throttled");
    const ContractRun run(ContractDevice{"fake", backend.get(), test::fake_image}, {"add_one"}, 8);
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
    const auto timing = (*run.session)->time({.poison = 3, .launches = 20, .hot = 1}, kLimit, {});
    REQUIRE(timing.has_value());
    int throttled = 0;
    for (const TimingSample& sample : timing->samples) {
      CHECK(sample.throttled == (sample.sm_mhz == 1400));
      throttled += sample.throttled ? 1 : 0;
    }
    CHECK(throttled == 4);
    CHECK(timing->memory_mhz == 2619);
    CHECK(timing->throttle_reasons == std::vector<std::string>{"power_cap", "thermal"});
    CHECK(timing->processes == 3);
  }

  TEST_CASE("slow questions to the management library are asked behind a doorbell") {
    const auto backend = test::fake_gpu(".throttled");
    const ContractRun run(ContractDevice{"fake", backend.get(), test::fake_image}, {"add_one"}, 8);
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
    const auto processes = [&run] {
      const auto timing = (*run.session)->time({.poison = 3, .launches = 1, .hot = 1}, kLimit, {});
      REQUIRE(timing.has_value());
      return timing->processes;
    };
    CHECK(processes() == 3);  // Nobody had asked before.
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    CHECK(processes() == 3);
    CHECK(processes() == 4);
  }

  TEST_CASE("no launch finds in local memory what an earlier one left") {
    const ContractRun run = open("keep_local_64");
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
    for (int i = 0; i < 2; ++i) {
      REQUIRE((*run.session)->run(7, kLimit, {}).has_value());
      CHECK(run.values()[0] == -1);  // The fake's own overwriting leaves this.
    }
    const auto timing = (*run.session)->time({.poison = 47, .launches = 10, .hot = 0}, kLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    CHECK(run.values()[0] == -1);
  }

  TEST_CASE("no launch finds what an earlier one left beyond the arena, hot or cold") {
    for (const std::uint32_t hot : {0U, 1U}) {
      CAPTURE(hot);
      const ContractRun run = open("remember_behind");
      REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
      // One launch of three is looked at: in 64 doorbells none escapes but by a chance of 3^-64.
      for (int i = 0; i < 64; ++i) {
        std::ranges::fill(run.values(), 5);
        REQUIRE((*run.session)->time({.poison = 47, .launches = 3, .hot = hot}, kLimit, {}));
        CHECK(run.values()[0] == 6);
      }
    }
    const ContractRun run = open("remember_behind");
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
    for (int i = 0; i < 2; ++i) {
      std::ranges::fill(run.values(), 5);
      REQUIRE((*run.session)->run(47, kLimit, {}));
      CHECK(run.values()[0] == 6);
    }
  }

  TEST_CASE("which launch is looked at does not follow from the poison") {
    const ContractRun run = open("add_one");
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
    std::set<std::uint32_t> kept;
    for (int i = 0; i < 64; ++i) {
      const auto timing = (*run.session)->time({.poison = 47, .launches = 9, .hot = 1}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      kept.insert(timing->kept);
    }
    CHECK(kept.size() > 1);
  }

  TEST_CASE("a launch that changes what the next ones are restored from is found out") {
    // The arena's copy, and that of a variable's first value.
    const std::vector<std::string> plans[] = {{"spoil_copies"}, {"count", "spoil_values"}};
    for (const std::vector<std::string>& kernels : plans) {
      CAPTURE(kernels.back());
      const ContractRun run(ContractDevice{"fake", &fake(), test::fake_image}, kernels, 8);
      REQUIRE(run.session.has_value());
      const auto timing = (*run.session)->time({.poison = 5, .launches = 3, .hot = 1}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      REQUIRE_FALSE(timing->run.ok());
      const Fault fault = describe_fault(timing->run, run.image, run.plan, kLimit);
      CHECK(fault.verdict == Verdict::kSuspect);
      CHECK(fault.kind == "tampering");
      CHECK(fault.message == "a launch wrote to memory of the worker that no argument points into");
    }
  }

  TEST_CASE("the number of timed launches is bounded") {
    const ContractRun run = open("add_one");
    REQUIRE(run.session.has_value());
    for (const std::uint32_t launches : {0U, 1001U}) {
      const auto timing =
          (*run.session)->time({.poison = 1, .launches = launches, .hot = 0}, kLimit, {});
      REQUIRE_FALSE(timing.has_value());
      CHECK(to_text(timing.error()) ==
            "invalid_argument: launches must be 1 to 1000, got " + std::to_string(launches));
    }
  }

  TEST_CASE("a driver that cannot serve is an error that says what to do") {
    struct Row {
      const char* script;
      int n;
      const char* message;
    };

    const Row rows[] = {
        {".init_100", 8,
         "unsupported: the CUDA driver finds no GPU (cuInit: FAKE_ERROR_100, as scripted); see "
         "whether nvidia-smi works here"},
        {".init_803", 8,
         "unsupported: the CUDA driver does not start (cuInit: FAKE_ERROR_803, as scripted); see "
         "whether nvidia-smi works here"},
        {".old", 8,
         "unsupported: the CUDA driver has no cuInit of CUDA 12.0 (cuGetProcAddress_v2: 0); "
         "install NVIDIA's driver, 525 or newer"},
        {".small", 20'000'000,
         "invalid_argument: the buffers need 78 MiB on the GPU, 300 MiB are free, of which 256 are "
         "kept for the driver; choose a smaller workload, or end other programs that use the GPU"},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.script));
      const auto backend = test::fake_gpu(row.script);
      const ContractRun run(ContractDevice{"fake", backend.get(), test::fake_image}, {"add_one"},
                            row.n);
      REQUIRE_FALSE(run.session.has_value());
      CHECK(to_text(run.session.error()) == row.message);
    }
  }

  TEST_CASE("a binary that is not what the plan was made for is refused") {
    const std::unique_ptr<Arena> none;
    const auto image_with = [](const std::function<void(Image&)>& change) {
      return [change](const std::vector<std::string>& kernels) {
        Image image = test::fake_image(kernels);
        change(image);
        return image;
      };
    };
    const ContractRun missing(
        ContractDevice{"fake", &fake(), image_with([](Image& image) { image.blob = "entry b\n"; })},
        {"add_one"}, 8);
    REQUIRE_FALSE(missing.session.has_value());
    CHECK(to_text(missing.session.error()) ==
          "internal: a call of the CUDA driver failed (cuModuleGetFunction: FAKE_ERROR_500, as "
          "scripted)");
    const ContractRun sizes(ContractDevice{"fake", &fake(), image_with([](Image& image) {
                                             image.entries[0].lowered = "ws_poison_shared";
                                             image.blob = "entry ws_poison_shared\n";
                                           })},
                            {"add_one"}, 8);
    REQUIRE_FALSE(sizes.session.has_value());
    CHECK(to_text(sizes.session.error()) ==
          "internal: parameter 0 of `add_one` has 108 bytes in the binary, the plan passes 8");
  }

  TEST_CASE("GPUs count that the driver will show, up to the first item that names none") {
    struct Row {
      const char* visible;
      int count;  ///< The number of kernels, at most four.
    };

    for (const Row& row : {Row{"", 0}, Row{"0", 1}, Row{"3,1", 2}, Row{"0,4,1", 1}, Row{"-1", 0},
                           Row{"1,-1,2", 1}, Row{"GPU-a0a1,MIG-b0b1", 2}, Row{"none", 0},
                           Row{"0,1,2,3,0", 4}, Row{"1x", 0}, Row{"2,", 1}}) {
      CAPTURE(std::string(row.visible));
      CHECK(count_visible(4, row.visible) == row.count);
    }
  }

  TEST_CASE("timing waits for its GPU, then says busy; a run of another server does not") {
    const ContractRun run = open("add_one");
    REQUIRE(run.session.has_value());
    auto other = cuda::GpuLock::open(WS_BINARY_DIR, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
    REQUIRE_MESSAGE(other.has_value(), to_text(other.error()));
    const milliseconds soon(50);
    const TimingRequest request{.poison = 1, .launches = 1, .hot = 0};
    REQUIRE(other->acquire(cuda::GpuLock::Use::kShared, soon, {}).has_value());
    CHECK((*run.session)->run(3, kLimit, {}).has_value());
    const auto timing = (*run.session)->time(request, soon, {});
    REQUIRE_FALSE(timing.has_value());
    CHECK(to_text(timing.error()) ==
          "busy: another server uses this GPU; try again, or end the other server");
    other->release();
    run.values()[0] = 7;
    const auto after = (*run.session)->time(request, kLimit, {});
    REQUIRE(after.has_value());
    CHECK(after->samples.size() == 1);
    CHECK(run.values()[0] == 8);
    REQUIRE(other->acquire(cuda::GpuLock::Use::kAlone, soon, {}).has_value());
    CHECK_FALSE((*run.session)->run(3, soon, {}).has_value());
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled = (*run.session)->run(3, kLimit, stop.get_token());
    REQUIRE_FALSE(cancelled.has_value());
    CHECK(to_text(cancelled.error()) == "cancelled: the call was cancelled");
  }

  TEST_CASE("a doorbell that is cancelled while another one has the GPU leaves its worker well") {
    const ContractRun hung = open("hang");
    const ContractRun run = open("add_one");
    REQUIRE(hung.session.has_value());
    REQUIRE(run.session.has_value());
    run.values()[0] = 7;
    std::jthread hang([&] { CHECK((*hung.session)->run(3, milliseconds(1000), {}).has_value()); });
    std::stop_source stop;
    std::jthread cancel([&] {
      std::this_thread::sleep_for(milliseconds(500));
      stop.request_stop();
    });
    std::this_thread::sleep_for(milliseconds(200));
    const auto cancelled = (*run.session)->run(3, kLimit, stop.get_token());
    REQUIRE_FALSE(cancelled.has_value());
    CHECK(to_text(cancelled.error()) == "cancelled: the call was cancelled");
    CHECK(run.values()[0] == 7);
    CHECK((*run.session)->run(3, kLimit, {}).has_value());
    CHECK(run.values()[0] == 8);
  }
}

}  // namespace ws
