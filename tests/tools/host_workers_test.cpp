// Host workers without a tool: what they refuse, and how they end.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/base/call_context.h"
#include "runtime/base/files.h"
#include "runtime/base/temp_folder.h"
#include "runtime/base/test_stderr.h"
#include "runtime/reference/host_session.h"
#include "runtime/reference/wire.h"
#include "tests/support/outside_program.h"

namespace ws::test {
namespace {

const std::string kExecutable = std::string(WS_BINARY_DIR) + "/warpsmith";

HostJob job_of(HostLanguage language, const std::string& source, std::int64_t elements = 4) {
  HostJob job;
  job.language = language;
  job.source = source;
  for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut}) {
    BufferSpec spec;
    spec.name = role == BufferRole::kIn ? "x" : "y";
    spec.role = role;
    spec.shape = {elements};
    job.tensors.push_back(host_tensor(spec, language));
  }
  return job;
}

constexpr const char* kDoubling = "def reference(inputs, dims): return {'y': 2 * inputs['x']}\n";

/// The first element of the output, where those of the input are 1.
double first_of_run(const HostWorkers::Opened& opened) {
  REQUIRE_MESSAGE(opened.session != nullptr, opened.refusal.message);
  const Arena& arena = opened.session->arena();
  std::ranges::fill(std::span(reinterpret_cast<float*>(arena.buffer(0).data()), 4), 1.0F);
  const auto reply = opened.session->run(std::chrono::seconds(20), {});
  REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
  CHECK_MESSAGE(reply->ok(), reply->message);
  return *reinterpret_cast<const double*>(arena.buffer(1).data());
}

/// The Python interpreters that this process has started.
std::vector<pid_t> python_children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const Result<std::string> status = read_file(entry.path() / "status");
    if (status && status->starts_with("Name:\tpython3") &&
        status->find("PPid:\t" + std::to_string(::getpid()) + "\n") != std::string::npos) {
      found.push_back(std::stoi(entry.path().filename()));
    }
  }
  return found;
}

std::string refusal(HostOptions options, const HostJob& job) {
  options.executable = kExecutable;
  HostWorkers workers(std::move(options));
  const auto opened = workers.open(job, {});
  return opened ? opened->refusal.message : to_text(opened.error());
}

}  // namespace

TEST_SUITE("tools.host_workers") {
  TEST_CASE("Python is refused where it is off, and where no interpreter has NumPy") {
    const HostJob job = job_of(HostLanguage::kPython, "def reference(inputs, dims): pass\n");
    CHECK(refusal({.executable = {}, .python = false}, job) ==
          "unsupported: references of kind `python` are off in this server; start it with "
          "--allow-python-reference, or use kind `cuir` or `kernel`");
    CHECK(refusal({.executable = {}, .interpreters = {"/no/python3", "/bin/true"}}, job) ==
          "unsupported: no Python interpreter here imports numpy; install the package "
          "python3-numpy");
  }

  TEST_CASE("tensors that are too large are refused before a worker is asked") {
    CHECK(refusal({}, job_of(HostLanguage::kCuir, "x", std::int64_t{1} << 40U)) ==
          "invalid_argument: the buffers need 12582912 MiB, the limit is 4096 MiB; the largest is "
          "`x`; choose a smaller workload");
  }

  TEST_CASE("a program that takes too long is stopped at its limit, and at once by a cancel") {
    HostWorkers workers({.executable = kExecutable});
    HostJob job =
        job_of(HostLanguage::kPython, "def reference(inputs, dims):\n  while True: pass\n");
    auto opened = workers.open(job, {});
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    REQUIRE(opened->refusal.message == "");
    const auto late = opened->session->run(std::chrono::milliseconds(200), {});
    REQUIRE(late.has_value());
    CHECK(late->verdict == HostVerdict::kTimeout);
    CHECK(late->message == "the program ran past its limit of 200 ms");

    opened = workers.open(job, {});
    REQUIRE(opened.has_value());
    std::stop_source source;
    std::jthread canceller([&source] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      source.request_stop();
    });
    const auto start = Clock::now();
    const auto cancelled = opened->session->run(std::chrono::seconds(60), source.get_token());
    REQUIRE_FALSE(cancelled.has_value());
    CHECK(to_text(cancelled.error()) == "cancelled: the call was cancelled");
    CHECK(Clock::now() - start < std::chrono::seconds(5));
  }

  TEST_CASE("a crash differs from an end by a limit") {
    HostWorkers workers({.executable = kExecutable});

    const struct {
      const char* call;
      HostVerdict verdict;
      const char* message;
    } rows[] = {
        {"os.abort()", HostVerdict::kCrashed, "the program's process ended by signal 6"},
        {"os._exit(3)", HostVerdict::kDied, "the program's process ended"},
        {"os._exit(0)", HostVerdict::kDied, "the program's process ended"},
    };

    const HostJob fine = job_of(HostLanguage::kPython, kDoubling);
    const auto other = workers.open(fine, {});
    for (const auto& row : rows) {
      const auto opened = workers.open(
          job_of(HostLanguage::kPython,
                 "import os\ndef reference(inputs, dims): " + std::string(row.call) + "\n"),
          {});
      REQUIRE(opened.has_value());
      REQUIRE(opened->session != nullptr);
      const auto reply = opened->session->run(std::chrono::seconds(20), {});
      REQUIRE(reply.has_value());
      CHECK(reply->verdict == row.verdict);
      CHECK(reply->message == row.message);
      // A session beside it does not notice.
      CHECK(first_of_run(*other) == 2);
    }
  }

  TEST_CASE("sessions of Python are copies of one process that has seen no program") {
    HostWorkers workers({.executable = kExecutable});
    // How often it was called; with 1000 times where a library lies, which is another place in
    // each process that is no copy.
    const std::string source =
        "import numpy as np\ncalls = 0\ndef reference(inputs, dims):\n"
        "  global calls\n  calls += 1\n  np.ours = 1\n"
        "  return {'y': np.full(4, calls + 1000 * (id(np) // 4096 % 2 ** 30))}\n";
    const auto first = workers.open(job_of(HostLanguage::kPython, source), {});
    const double once = first_of_run(*first);
    CHECK(static_cast<std::int64_t>(once) % 1000 == 1);
    CHECK(first_of_run(*first) == once + 1);
    const auto second = workers.open(job_of(HostLanguage::kPython, source), {});
    CHECK(first_of_run(*second) == once);
    const auto third = workers.open(job_of(HostLanguage::kPython,
                                           "import numpy as np\ndef reference(inputs, dims):\n"
                                           "  return {'y': np.full(4, hasattr(np, 'ours'))}\n"),
                                    {});
    CHECK(first_of_run(*third) == 0);
    CHECK(first_of_run(*first) == once + 2);
  }

  TEST_CASE("many sessions of Python begin and end beside each other") {
    HostWorkers workers({.executable = kExecutable});
    const HostJob job = job_of(HostLanguage::kPython, kDoubling);
    std::atomic<int> right = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          for (int k = 0; k < 60; ++k) {
            const auto opened = workers.open(job, {});
            right += opened && opened->session &&
                     opened->session->run(std::chrono::seconds(60), {}).value_or(HostReply{}).ok();
          }
        });
      }
    }
    CHECK(right == 240);
  }

  TEST_CASE(
      "an interpreter that is killed from outside ends its sessions, and another one starts") {
    const std::vector<pid_t> others = python_children();  // Those of other tests may still end.
    HostWorkers workers({.executable = kExecutable});
    const HostJob job = job_of(HostLanguage::kPython, kDoubling);
    const auto opened = workers.open(job, {});
    CHECK(first_of_run(*opened) == 2);
    std::vector<pid_t> interpreters = python_children();
    std::erase_if(interpreters,
                  [&](pid_t one) { return std::ranges::find(others, one) != others.end(); });
    REQUIRE(interpreters.size() == 1);
    ::kill(interpreters[0], SIGKILL);
    // The copy dies with its interpreter, not before it.
    auto reply = opened->session->run(std::chrono::seconds(20), {});
    for (int i = 0; i < 10'000 && reply.has_value(); ++i) {
      reply = opened->session->run(std::chrono::seconds(20), {});
    }
    REQUIRE_FALSE(reply.has_value());
    CHECK(to_text(reply.error()) ==
          "device_lost: a worker process was killed from outside (signal 9); ask again; if it "
          "happens often, check whether the machine runs out of memory");
    CHECK(first_of_run(*workers.open(job, {})) == 2);
  }

  TEST_CASE("a Python program draws other numbers in each session") {
    HostWorkers workers({.executable = kExecutable});
    const HostJob job = job_of(HostLanguage::kPython,
                               "import numpy as np\ndef reference(inputs, dims):\n"
                               "  return {'y': np.random.rand(4)}\n");
    const auto first = workers.open(job, {});
    const auto second = workers.open(job, {});
    CHECK(first_of_run(*first) != first_of_run(*second));
  }

  TEST_CASE("a copy signals no other process") {
    const Result<std::string> channel =
        read_file(std::string(WS_SOURCE_DIR) + "/runtime/worker/python_channel.py");
    REQUIRE(channel.has_value());
    const auto folder = TempFolder::make();
    REQUIRE(folder.has_value());
    REQUIRE(write_file((*folder)->path() / "script.py", *channel + R"(
import threading
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
ourselves, other = os.getpid(), os.getppid()
thread = threading.get_native_id()
before = libc.syscall(TGKILL, other, other, 0)
signal_none_but(ourselves)
print(before, libc.syscall(TGKILL, other, other, 0), ctypes.get_errno(),
      libc.syscall(TGKILL, ourselves, thread, 0))
)")
                .has_value());
    CHECK(run_outside("python3 -I script.py", (*folder)->path()).output == "0 -1 1 0\n");
  }

#ifndef __SANITIZE_ADDRESS__  // There a worker's output is the server's.
  TEST_CASE("what a Python program prints is one escaped line of the log") {
    HostWorkers workers({.executable = kExecutable});
    const HostJob job = job_of(HostLanguage::kPython,
                               "def reference(inputs, dims):\n"
                               "  print('one\\n2026 info request: \"status=ok')\n"
                               "  return {'y': inputs['x']}\n");
    const StderrPipe log;
    {
      const auto opened = workers.open(job, {});
      REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
      REQUIRE_MESSAGE(opened->session != nullptr, opened->refusal.message);
      const auto reply = opened->session->run(std::chrono::seconds(20), {});
      REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
      CHECK(reply->ok());
    }
    const std::string text = log.text();
    CHECK(text.find(" warning worker: role=python pid=") != std::string::npos);
    CHECK(text.ends_with(R"( printed=34 output="one\n2026 info request: \x22status=ok\n")"
                         "\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  }

  TEST_CASE("a Python program that prints more than is read goes on") {
    HostWorkers workers({.executable = kExecutable});
    const HostJob job = job_of(HostLanguage::kPython,
                               "def reference(inputs, dims):\n"
                               "  for i in range(3000): print('x' * 100)\n"
                               "  return {'y': inputs['x']}\n");
    const auto opened = workers.open(job, {});
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    REQUIRE_MESSAGE(opened->session != nullptr, opened->refusal.message);
    const auto reply = opened->session->run(std::chrono::seconds(20), {});
    REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
    CHECK_MESSAGE(reply->ok(), reply->message);
  }
#endif

  TEST_CASE("two programs are checked at a time, and a check ends when its call does") {
    using std::chrono::milliseconds;
    HostWorkers workers({.executable = kExecutable});
    const HostJob fine = job_of(HostLanguage::kPython, "def reference(inputs, dims): pass\n");
    REQUIRE(workers.check(fine, {}).has_value());
    std::stop_source stop;
    std::atomic<int> cancelled = 0;
    std::atomic<bool> passed = false;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
          const auto reply =
              workers.check(job_of(HostLanguage::kPython, "while True: pass\n"), stop.get_token());
          cancelled += !reply && to_text(reply.error()) == "cancelled: the call was cancelled";
        });
      }
      std::this_thread::sleep_for(milliseconds(300));
      threads.emplace_back([&] { passed = workers.check(fine, {}).has_value(); });
      std::this_thread::sleep_for(milliseconds(1500));  // Many times what it takes alone.
      CHECK_FALSE(passed);
      const auto start = Clock::now();
      stop.request_stop();
      threads.clear();
      CHECK(Clock::now() - start < std::chrono::seconds(10));
    }
    CHECK(cancelled == 2);
    CHECK(passed);
  }

  TEST_CASE("an invalid answer ends the session") {
    CHECK_FALSE(decode_host_reply("{").has_value());
    CHECK_FALSE(decode_host_reply(R"({"verdict": 5})").has_value());
    CHECK_FALSE(decode_host_reply(R"({"findings": [5]})").has_value());
    const auto reply = decode_host_reply(R"({"message": ")" + std::string(5000, 'x') + R"("})");
    REQUIRE(reply.has_value());
    CHECK(reply->message.size() == 2000);
  }
}

}  // namespace ws::test
