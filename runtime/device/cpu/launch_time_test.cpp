#include "runtime/device/cpu/launch_time.h"

#include <doctest/doctest.h>

namespace ws::cpu {

TEST_SUITE("device.cpu.launch_time") {
  using std::chrono::milliseconds;

  TEST_CASE("a launch has its limit of the time in which its worker has a core") {
    // The machine was its own.
    CHECK(time_left(milliseconds(2000), milliseconds(2000), milliseconds(2000)).count() == 0);
    // Two threads had a core each.
    CHECK(time_left(milliseconds(2000), milliseconds(4000), milliseconds(2000)).count() == 0);
    // Others had it three quarters of the time.
    CHECK(time_left(milliseconds(2000), milliseconds(500), milliseconds(2000)) ==
          milliseconds(1500));
    CHECK(time_left(milliseconds(2000), milliseconds(1990), milliseconds(8000)) ==
          milliseconds(10));
  }

  TEST_CASE("a worker that never has a core is given up") {
    CHECK(time_left(milliseconds(2000), milliseconds(0), milliseconds(31'999)) ==
          milliseconds(2000));
    CHECK(time_left(milliseconds(2000), milliseconds(0), milliseconds(32'000)).count() == 0);
  }
}

}  // namespace ws::cpu
