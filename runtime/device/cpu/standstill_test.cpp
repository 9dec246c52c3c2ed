// A process that is stopped, and what its clock says of it.
#include "runtime/device/cpu/standstill.h"

#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ws {
namespace {

using std::chrono::milliseconds;

/// A child that is always busy.
class BusyChild {
 public:
  BusyChild()
      : process_(::fork()) {
    if (process_ == 0) {
      for (volatile unsigned spins = 0;; spins = spins + 1) {
      }
    }
    REQUIRE(process_ > 0);
  }

  BusyChild(const BusyChild&) = delete;
  BusyChild& operator=(const BusyChild&) = delete;

  ~BusyChild() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] pid_t process() const { return process_; }

  /// Returns when it has worked that much more.
  void work(milliseconds more) const {
    const auto end = *processor_time_of(process_) + more;
    while (*processor_time_of(process_) < end) {
      ::usleep(100);
    }
  }

  /// Lets it work behind the back of who has stopped it.
  void work_in_between(milliseconds more) const {
    ::kill(process_, SIGCONT);
    work(more);
    ::kill(process_, SIGSTOP);
    ::waitpid(process_, nullptr, WUNTRACED);
  }

 private:
  pid_t process_;
};

}  // namespace

TEST_SUITE("device.cpu.standstill") {
  TEST_CASE("a stopped process uses no time, and its work is counted") {
    const BusyChild child;
    Standstill standstill(child.process());
    REQUIRE(standstill.stop().has_value());
    CHECK(standstill.go_on().count() == 0);
    child.work(milliseconds(20));
    REQUIRE(standstill.stop().has_value());
    CHECK(standstill.used() >= milliseconds(20));
    CHECK(standstill.go_on().count() == 0);
  }

  TEST_CASE("a process that was continued in between is seen, also if it stands still again") {
    const BusyChild child;
    Standstill standstill(child.process());
    REQUIRE(standstill.stop().has_value());
    child.work_in_between(milliseconds(120));
    CHECK(standstill.go_on() >= milliseconds(120));
  }

  TEST_CASE("milliseconds that were counted late are no work of a process that stands still") {
    const BusyChild child;
    Standstill standstill(child.process());
    REQUIRE(standstill.stop().has_value());
    child.work_in_between(milliseconds(5));
    CHECK(standstill.go_on().count() == 0);
  }
}

}  // namespace ws
