#include "runtime/worker/confined_child.h"

#include <string>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/base/work_owner.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr std::size_t kMostAnswer = 64;

/// A worker whose compiler gives the number of its process, and the request.
class EchoWorker {
 public:
  explicit EchoWorker(int compiles) {
    int ends[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      ::dup2(ends[1], kWorkerSocket);
      ::_exit(serve_compiles(
          {.cpu_seconds = 5, .memory_bytes = 0, .compiles = compiles},
          [](const std::string& request) { return std::to_string(::getpid()) + " " + request; }));
    }
    ::close(ends[1]);
    socket_ = Fd(ends[0]);
  }

  EchoWorker(const EchoWorker&) = delete;
  EchoWorker& operator=(const EchoWorker&) = delete;

  ~EchoWorker() {
    socket_.reset();
    int status = 0;
    CHECK(::waitpid(pid_, &status, 0) == pid_);
    CHECK(status == 0);
  }

  /// The number of the process that made it.
  [[nodiscard]] int process_of(const std::string& frame, const std::string& request) const {
    REQUIRE(send_frame(socket_.get(), frame));
    const Result<Received> answer = receive_frame(socket_.get(), kMostAnswer);
    REQUIRE_MESSAGE(answer.has_value(), to_text(answer.error()));
    const std::size_t space = answer->payload.find(' ');
    CHECK(answer->payload.substr(space + 1) == request);
    return std::stoi(answer->payload.substr(0, space));
  }

 private:
  pid_t pid_ = -1;
  Fd socket_;
};

}  // namespace

TEST_SUITE("worker.compile_children") {
  TEST_CASE("a process compiles again for the same client, and for no other") {
    const std::string ann(kOwnerDigits, 'a');
    const std::string bob(kOwnerDigits, 'b');
    const EchoWorker worker(3);
    const int first = worker.process_of(ann + "one", "one");
    CHECK(worker.process_of(ann + "two", "two") == first);
    const int second = worker.process_of(bob + "three", "three");
    CHECK(second != first);
    const int third = worker.process_of(ann + "four", "four");
    CHECK(third != first);
    CHECK(third != second);
    CHECK(worker.process_of(ann + "five", "five") == third);
    CHECK(worker.process_of(ann + "six", "six") == third);
    CHECK(worker.process_of(ann + "seven", "seven") != third);
  }

  TEST_CASE("where each compile has its own process, a request has no tag") {
    const EchoWorker worker(1);
    const int first = worker.process_of("one", "one");
    CHECK(worker.process_of("two", "two") != first);
  }
}

}  // namespace ws
