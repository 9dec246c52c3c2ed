// Tests which worker a session gets: an owner's own that went well, else a fresh one. On the fake
// driver.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/device/bind.h"
#include "runtime/device/cuda/cuda_session.h"
#include "tests/support/contract_device.h"

namespace ws {

TEST_SUITE("device.cuda.reuse") {
  using std::chrono::milliseconds;
  using test::ContractDevice;
  using test::ContractRun;

  constexpr milliseconds kLimit{5'000};

  std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::vector<pid_t> our_children() {
    const std::string ours = "PPid:\t" + std::to_string(::getpid()) + "\n";
    std::vector<pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      if (text_of(entry.path() / "status").find(ours) != std::string::npos) {
        children.push_back(static_cast<pid_t>(std::stol(entry.path().filename())));
      }
    }
    return children;
  }

  /// The one of our workers that has these buffers mapped; 0 when none has.
  pid_t worker_with(const ContractRun& run) {
    struct stat arena{};
    if (::fstat(run.arena->fd(), &arena) != 0) {
      return 0;
    }
    const std::string wanted = " " + std::to_string(arena.st_ino) + " ";
    for (const pid_t pid : our_children()) {
      const std::string maps = "/proc/" + std::to_string(pid) + "/maps";
      if (text_of(maps).find(wanted) != std::string::npos) {
        return pid;
      }
    }
    return 0;
  }

  struct Gpu {
    std::unique_ptr<Backend> backend = test::fake_gpu(".large");

    [[nodiscard]] ContractRun open(const std::string& owner, const std::string& kernel = "add_one",
                                   int n = 8) const {
      ContractRun run(ContractDevice{"fake", backend.get(), test::fake_image}, {kernel}, n, false,
                      owner);
      REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
      return run;
    }

    /// Opens, rings once and closes. @return the worker.
    [[nodiscard]] pid_t use(const std::string& owner, const std::string& kernel = "add_one") const {
      const ContractRun run = open(owner, kernel);
      const pid_t worker = worker_with(run);
      const auto outcome = (*run.session)->run(3, kLimit, {});
      CHECK(outcome.has_value());
      return worker;
    }
  };

  TEST_CASE("a worker that went well goes to its owner again, and to nobody else") {
    const Gpu gpu;
    const pid_t first = gpu.use("a");
    REQUIRE(first != 0);
    CHECK(gpu.use("a", "twice") == first);
    CHECK(gpu.use("b") != first);
    CHECK(gpu.use("") != first);
    CHECK(gpu.use("a") == first);
  }

  TEST_CASE("without an owner no worker is used twice") {
    const Gpu gpu;
    const pid_t first = gpu.use("");
    CHECK(gpu.use("") != first);
  }

  /// As Gpu::use, and marks the kernel as verified where it is told to.
  pid_t use_verified(const Gpu& gpu, const std::string& owner, const std::string& batch,
                     bool verified = true, const std::string& kernel = "add_one") {
    const ContractRun run(ContractDevice{"fake", gpu.backend.get(), test::fake_image}, {kernel}, 8,
                          false, owner, batch);
    REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
    const pid_t worker = worker_with(run);
    const auto outcome = (*run.session)->run(3, milliseconds(300), {});
    REQUIRE(outcome.has_value());
    if (verified) {
      (*run.session)->mark_verified();
    }
    return worker;
  }

  TEST_CASE("a worker whose kernel was verified goes to the next of its batch, and to no others") {
    const Gpu gpu;
    const pid_t first = use_verified(gpu, "a", "batch");
    REQUIRE(first != 0);
    CHECK(use_verified(gpu, "b", "batch") == first);
    CHECK(use_verified(gpu, "c", "other") != first);
    CHECK(gpu.use("c") != first);
    CHECK(gpu.use("") != first);
    CHECK(use_verified(gpu, "d", "batch") == first);
  }

  TEST_CASE(
      "a worker is left to nobody where nobody verified, the batch is another, or a fault came") {
    const Gpu gpu;
    const pid_t first = use_verified(gpu, "a", "batch", false);
    CHECK(use_verified(gpu, "b", "batch", false) != first);
    CHECK(use_verified(gpu, "a", "batch", false) == first);
    const pid_t alone = use_verified(gpu, "c", "");
    CHECK(use_verified(gpu, "d", "") != alone);
    const pid_t bad = use_verified(gpu, "e", "batch", true, "fault_719");
    CHECK(use_verified(gpu, "f", "batch") != bad);
  }

  TEST_CASE("alone a kernel never gets a worker that a batch has used, its own there included") {
    const Gpu gpu;
    const pid_t first = use_verified(gpu, "a", "batch");
    CHECK(use_verified(gpu, "b", "batch", false) == first);
    CHECK(gpu.use("b") != first);
    CHECK(use_verified(gpu, "b", "other", false) != first);
    CHECK(use_verified(gpu, "b", "batch", false) == first);
  }

  /// The number of modules that the driver of the next kernel's worker has loaded until that kernel
  /// is launched.
  int modules_loaded(const Gpu& gpu) {
    const ContractRun run = gpu.open("a", "count_modules");
    REQUIRE((*run.session)->run(3, kLimit, {}).has_value());
    return run.values()[0];
  }

  TEST_CASE("our own kernels are reloaded for each kernel of a worker") {
    const Gpu gpu;
    const pid_t worker = gpu.use("a");
    const int before = modules_loaded(gpu);
    CHECK(modules_loaded(gpu) == before + 2);  // The kernel's and ours.
    CHECK(gpu.use("a") == worker);
  }

  TEST_CASE("kernels of one server take turns on the device") {
    const Gpu gpu;
    std::vector<ContractRun> runs;
    runs.reserve(4);
    for (int i = 0; i < 4; ++i) {
      runs.push_back(gpu.open(std::to_string(i), "nap"));
    }
    const auto start = Clock::now();
    {
      std::vector<std::jthread> threads;
      threads.reserve(runs.size());
      for (const ContractRun& run : runs) {
        threads.emplace_back([&run] { return (*run.session)->run(3, kLimit, {}); });
      }
    }
    CHECK(Clock::now() - start >= milliseconds(200));  // Each takes 50.
  }

  TEST_CASE("a worker is handed over so often, and no more") {
    const Gpu gpu;
    const pid_t first = use_verified(gpu, "0", "batch");
    for (int i = 1; i <= 32; ++i) {
      CAPTURE(i);
      CHECK(use_verified(gpu, std::to_string(i), "batch") == first);
    }
    CHECK(use_verified(gpu, "33", "batch") != first);
    CHECK(use_verified(gpu, "32", "batch") == first);  // Its last owner may still have it.
  }

  TEST_CASE("two sessions of one owner at a time have two workers") {
    const Gpu gpu;
    const ContractRun one = gpu.open("a");
    const ContractRun two = gpu.open("a");
    CHECK(worker_with(one) != worker_with(two));
  }

  TEST_CASE("a worker with a fault, a hang or a lost session is not used again") {
    const Gpu gpu;
    for (const char* kernel : {"fault_719", "refuse_701", "hang"}) {
      CAPTURE(kernel);
      pid_t bad = 0;
      {
        const ContractRun run = gpu.open("a", kernel);
        bad = worker_with(run);
        const auto outcome = (*run.session)->run(3, milliseconds(300), {});
        REQUIRE(outcome.has_value());
        CHECK_FALSE(outcome->ok());
      }
      CHECK(gpu.use("a") != bad);
    }
  }

  constexpr milliseconds kIdle{2'000};

  std::shared_ptr<cuda::WorkerSource> make_source() {
    test::fake_gpu(".large");  // Makes the link.
    return std::make_shared<cuda::WorkerSource>(
        WS_BINARY_DIR "/warpsmith", "cuda",
        cuda::AttachRequest{
            .device = 0, .library = WS_BINARY_DIR "/libfake.large.so", .nvml = "none"},
        kIdle);
  }

  bool is_running(pid_t pid) {
    const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
    return !status.empty() && status.find("State:\tZ") == std::string::npos;
  }

  /// Waits for it, longer than workers are kept.
  template <typename Condition>
  bool comes_true(const Condition& condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return condition();
  }

  /// A session of `source` for a kernel that ran once.
  class RunOnce {
   public:
    RunOnce(const std::shared_ptr<cuda::WorkerSource>& source, const std::string& owner) {
      const Gpu gpu;
      ContractRun run = gpu.open(owner);
      run.session->reset();  // Only the worker below has its buffers.
      auto plan = bind_plan(run.plan, run.image, *run.arena);
      REQUIRE(plan.has_value());
      plan->owner = owner;
      auto opened = cuda::open_session(source, WS_BINARY_DIR, run.image, *plan, run.arena);
      REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
      session_ = *std::move(opened);
      CHECK(session_->run(3, kLimit, {}).has_value());
      worker_ = worker_with(run);
    }

    /// @return who rests since.
    pid_t close() {
      session_.reset();
      return worker_;
    }

   private:
    std::unique_ptr<Session> session_;
    pid_t worker_ = 0;
  };

  TEST_CASE("a worker that rests for long is ended, and reaped") {
    const auto source = make_source();
    for (int round = 0; round < 2; ++round) {
      const pid_t worker = RunOnce(source, "a").close();
      CHECK(is_running(worker));
      CHECK(comes_true([&] { return ::kill(worker, 0) != 0; }));
    }
  }

  TEST_CASE("a request for a worker keeps the others that rest") {
    const auto source = make_source();
    const pid_t other = RunOnce(source, "other").close();
    const pid_t mine = RunOnce(source, "mine").close();
    const auto rested = Clock::now();
    std::this_thread::sleep_for(kIdle * 3 / 4);
    const auto asked = Clock::now();
    const auto worker = source->take({"mine", ""});
    REQUIRE(worker.has_value());
    CHECK(worker->process.pid() == mine);
    std::this_thread::sleep_until(rested + kIdle * 3 / 2);
    const bool kept = is_running(other);
    if (Clock::now() - asked < kIdle) {  // Else this test was held up for too long to say.
      CHECK(kept);
    }
    CHECK(comes_true([&] { return ::kill(other, 0) != 0; }));
  }

  TEST_CASE("of those that were started ahead one is kept for long") {
    const auto source = make_source();
    const auto attached = [] {
      return std::ranges::count_if(our_children(), [](pid_t pid) {
        return text_of("/proc/" + std::to_string(pid) + "/maps").find("libws_fake_cuda") !=
               std::string::npos;
      });
    };
    REQUIRE(source->take({}).has_value());  // It tells how much memory the device has.
    const auto before = attached();
    source->prepare(2);
    CHECK(comes_true([&] { return attached() == before + 2; }));
    CHECK(comes_true([&] { return attached() == before + 1; }));
    std::this_thread::sleep_for(kIdle);
    CHECK(attached() == before + 1);
  }

  TEST_CASE("a worker that died while it rested is not the kernel's fault") {
    const Gpu gpu;
    const pid_t first = gpu.use("a");
    REQUIRE(first != 0);
    ::kill(first, SIGKILL);
    const pid_t second = gpu.use("a");
    CHECK(second != 0);
    CHECK(second != first);
  }

  TEST_CASE("of many owners the six that rested last keep their workers") {
    const Gpu gpu;
    std::vector<pid_t> workers;
    for (const char* owner : {"a", "b", "c", "d", "e", "f", "g"}) {
      workers.push_back(gpu.use(owner));
    }
    for (std::size_t i = 1; i < workers.size(); ++i) {
      CAPTURE(i);
      CHECK(gpu.use(std::string(1, static_cast<char>('a' + i))) == workers[i]);
    }
    CHECK(gpu.use("a") != workers[0]);
  }

  TEST_CASE("a worker that rests holds none of the device's memory") {
    const auto backend = test::fake_gpu(".small");  // 300 MiB, of which 44 are for buffers
    constexpr int kInts = (40 << 20) / static_cast<int>(sizeof(int));
    for (int i = 0; i < 3; ++i) {
      const ContractRun run(ContractDevice{"fake", backend.get(), test::fake_image}, {"add_one"},
                            kInts, false, "a");
      REQUIRE_MESSAGE(run.session.has_value(), to_text(run.session.error()));
      CHECK(worker_with(run) != 0);
    }
  }
}

}  // namespace ws
