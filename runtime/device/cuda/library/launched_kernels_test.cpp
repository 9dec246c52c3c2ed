#include "runtime/device/cuda/library/launched_kernels.h"

#include <doctest/doctest.h>

namespace ws::cuda {

TEST_SUITE("device.cuda.launched_kernels") {
  TEST_CASE("kernels are named in the order in which they are launched, and do not run") {
    const auto driver = Driver::open(WS_BINARY_DIR "/libws_fake_cuda.so");
    REQUIRE_MESSAGE(driver.has_value(), to_text(driver.error()));
    const auto context = Context::attach(*driver, 0, "");
    REQUIRE_MESSAGE(context.has_value(), to_text(context.error()));
    const auto names = launched_kernels(**context, [&]() -> Status {
      WS_CHECK((*context)->make_evictable(0, 0));
      return (*context)->poison_shared(PoisonKeys{});
    });
    REQUIRE_MESSAGE(names.has_value(), to_text(names.error()));
    CHECK(*names == std::vector<std::string>{"ws_make_evictable", "ws_poison_shared"});
  }

  TEST_CASE("an error of what is captured is the answer") {
    const auto driver = Driver::open(WS_BINARY_DIR "/libws_fake_cuda.so");
    REQUIRE(driver.has_value());
    const auto context = Context::attach(*driver, 0, "");
    REQUIRE(context.has_value());
    const auto names = launched_kernels(
        **context, []() -> Status { return fail(ErrorCode::kUnsupported, "the library says no"); });
    REQUIRE_FALSE(names.has_value());
    CHECK(to_text(names.error()) == "unsupported: the library says no");
  }
}

}  // namespace ws::cuda
