// The output of workers, as it is logged.
#include "runtime/queue/worker_output.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/test_stderr.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr std::chrono::seconds kLong{20};

/// How a worker's object is done with.
enum class End : std::uint8_t { kFinished, kFinishedAtOnce, kDropped };

/// The log of a worker that runs these lines of a shell, without the time and its number.
std::string logged(const std::string& script, End end = End::kFinished) {
  const TestFolder folder;
  const std::filesystem::path file = folder.path() / "worker";
  REQUIRE(write_file(file, "#!/bin/sh\n" + script).has_value());
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const StderrPipe log;
  auto worker = WorkerProcess::start(file.string(), "run", WorkerOutput::kKept);
  REQUIRE_MESSAGE(worker.has_value(), to_text(worker.error()));
  const std::string number = " pid=" + std::to_string(worker->pid());
  if (end == End::kDropped) {
    while (!worker->has_ended()) {
      std::this_thread::yield();
    }
    WorkerProcess{std::move(*worker)};
  } else {
    worker->finish(end == End::kFinishedAtOnce ? std::chrono::milliseconds(0) : kLong);
  }
  std::string text = log.text();
  const std::size_t at = text.find(number);
  if (at == std::string::npos) {
    return text;
  }
  return text.erase(at, number.size()).substr(text.find(' ') + 1);
}

}  // namespace

TEST_SUITE("queue.output") {
  TEST_CASE("what is printed is quoted, escaped and cut") {
    struct Row {
      std::string printed;
      std::string quoted;
    };

    const Row rows[] = {
        {"plain words", R"("plain words")"},
        {"two\nlines\n", R"("two\nlines\n")"},
        {"\n2026-01-01 info request: status=ok\n", R"("\n2026-01-01 info request: status=ok\n")"},
        {"a\" signal=0 b=\"", R"("a\x22 signal=0 b=\x22")"},
        {"back\\slash\r\t\x1b[2J\x7f", R"("back\x5cslash\x0d\x09\x1b[2J\x7f")"},
        {"caf\xc3\xa9\xe2\x80\xa8", R"("caf\xc3\xa9\xe2\x80\xa8")"},
        {std::string("a\0b", 3), R"("a\x00b")"},
        {std::string(300, 'x') + "\nend", "\"" + std::string(256, 'x') + R"(...\nend")"},
    };
    for (const Row& row : rows) {
      CHECK(quoted_output(row.printed) == row.quoted);
    }
    std::string many;
    for (int i = 0; i < 2000; ++i) {
      many += "\"\n";
    }
    const std::string quoted = quoted_output("first\n" + many + "last");
    CHECK(quoted.size() < 3200);
    CHECK(quoted.starts_with(R"("first\n\x22)"));
    CHECK(quoted.ends_with(R"(\nlast")"));
    CHECK(std::count(quoted.begin(), quoted.end(), '"') == 2);
  }

#ifndef __SANITIZE_ADDRESS__  // There a worker's output is the server's.
  TEST_CASE("what a worker prints is one line of the log, and cannot be another one") {
    CHECK(
        logged(R"(printf 'one\n2026-11-23T10:00:00.123Z info request: status=ok\n'
printf '{"level":"error"}\n' >&2)") ==
        "warning worker: role=run signal=0 printed=71 output=\"one\\n2026-11-23T10:00:00.123Z info "
        "request: status=ok\\n{\\x22level\\x22:\\x22error\\x22}\\n\"\n");
  }

  TEST_CASE("a worker that a signal ends is a line of the log, one that exits is not") {
    CHECK(logged("exit 0\n") == "");
    CHECK(logged("exit 99\n") == "");
    CHECK(logged("kill -SEGV $$\n") == "warning worker: role=run signal=11 printed=0\n");
    CHECK(logged("kill -KILL $$\n") == "warning worker: role=run signal=9 printed=0\n");
    CHECK(logged("sleep 60\n", End::kFinishedAtOnce) == "");
  }

  TEST_CASE("a worker that rests may be killed with the thread that started it: that is no line") {
    CHECK(logged("kill -KILL $$\n", End::kDropped) == "");
    CHECK(logged("kill -SEGV $$\n", End::kDropped) ==
          "warning worker: role=run signal=11 printed=0\n");
  }

  TEST_CASE("a worker that prints more than the pipe holds goes on") {
    const std::string line = logged(
        "head -c 1000000 /dev/zero | tr '\\0' x 2>/dev/null\nhead -c 1000000 /dev/zero >&2\nkill "
        "-ABRT $$\n");
    CHECK(line.starts_with("warning worker: role=run signal=6 printed="));
    CHECK(line.find(" output=\"xxx") != std::string::npos);
    CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  }
#endif
}

}  // namespace ws
