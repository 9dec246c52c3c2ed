#include "runtime/evaluate/validate/launch_limit.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("evaluate.launch_limit") {
  using std::chrono::milliseconds;

  TEST_CASE("a short launch has two seconds, and a longer one 200 times its reference") {
    CHECK(launch_limit({}) == milliseconds(2000));
    CHECK(launch_limit({.reference_us = 10'000}) == milliseconds(4000));
    CHECK(launch_limit({.reference_us = 200'000}) == milliseconds(42'000));
    CHECK(launch_limit({.reference_us = 1e6}) == milliseconds(60'000));
  }

  TEST_CASE("a reference that takes seconds leaves its kernel 30 times as long") {
    CHECK(launch_limit({.reference_us = 2e6}) == milliseconds(60'000));
    CHECK(launch_limit({.reference_us = 10e6}) == milliseconds(300'000));
  }

  TEST_CASE("a machine that is shared gives a kernel as much more time, within bounds") {
    CHECK(launch_limit({.waiting = 1, .cores = 2}) == milliseconds(2000));
    CHECK(launch_limit({.waiting = 16, .cores = 2}) == milliseconds(16'000));
    CHECK(launch_limit({.waiting = 1000, .cores = 2}) == milliseconds(32'000));
    CHECK(launch_limit({.reference_us = 1e6, .waiting = 8, .cores = 4}) == milliseconds(120'000));
    CHECK(waiting_processes() >= 0);
  }
}

}  // namespace ws
