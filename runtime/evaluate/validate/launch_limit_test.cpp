#include "runtime/evaluate/validate/launch_limit.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("evaluate.launch_limit") {
  using std::chrono::milliseconds;

  TEST_CASE("a short launch has two seconds, and a longer one 200 times its reference") {
    CHECK(launch_limit(0) == milliseconds(2000));
    CHECK(launch_limit(10'000) == milliseconds(4000));
    CHECK(launch_limit(200'000) == milliseconds(42'000));
    CHECK(launch_limit(1e6) == milliseconds(60'000));
  }

  TEST_CASE("a reference that takes seconds leaves its kernel 30 times as long") {
    CHECK(launch_limit(2e6) == milliseconds(60'000));
    CHECK(launch_limit(10e6) == milliseconds(300'000));
  }

  TEST_CASE("only what an executor runs has more time than machine code") {
    CHECK(launch_patience("triton", /*emulated=*/true) == 60);
    CHECK(launch_patience("cutile_jl", /*emulated=*/true) == 60);
    CHECK(launch_patience("triton", /*emulated=*/false) == 1);
    CHECK(launch_patience("cuda", /*emulated=*/true) == 1);
    CHECK(launch_patience("hlsl", /*emulated=*/true) == 1);
  }
}

}  // namespace ws
