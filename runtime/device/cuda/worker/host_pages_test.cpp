#include "runtime/device/cuda/worker/host_pages.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <unistd.h>

namespace ws::cuda {
namespace {

Driver open_fake() {
  auto driver = Driver::open(WS_BINARY_DIR "/libws_fake_cuda.so");
  REQUIRE_MESSAGE(driver.has_value(), to_text(driver.error()));
  return *driver;
}

bool is_pinned(const Driver& driver, void* page) {
  if (driver.api().cuMemHostUnregister(page) != kCuSuccess) {
    return false;
  }
  CHECK(driver.api().cuMemHostRegister(page, 1, 0) == kCuSuccess);
  return true;
}

}  // namespace

TEST_SUITE("device.cuda.host_pages") {
  TEST_CASE("pages are zeros, start one of their own, and are pinned while they live") {
    const Driver driver = open_fake();
    void* first = nullptr;
    {
      auto pages = HostPages::create(driver, 5000);
      REQUIRE_MESSAGE(pages.has_value(), to_text(pages.error()));
      const HostPages kept = *std::move(pages);
      first = kept.bytes().data();
      CHECK(kept.bytes().size() == 5000);
      CHECK(std::ranges::all_of(kept.bytes(), [](std::byte b) { return b == std::byte{0}; }));
      CHECK(reinterpret_cast<std::uintptr_t>(first) %
                static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)) ==
            0);
      CHECK(is_pinned(driver, first));
    }
    CHECK_FALSE(is_pinned(driver, first));
  }

  TEST_CASE("what is pinned already is not let go by another") {
    const Driver driver = open_fake();
    std::vector<std::byte> memory(1);
    const Pinned first = pin(driver, memory);
    CHECK(first.valid());
    CHECK_FALSE(pin(driver, memory).valid());
    CHECK(is_pinned(driver, memory.data()));
  }

  TEST_CASE("more than the system has") {
    const auto pages = HostPages::create(open_fake(), std::size_t{1} << 62U);
    REQUIRE_FALSE(pages.has_value());
    CHECK(to_text(pages.error()) ==
          "io: the worker has no memory for a copy of the buffers (mmap: Cannot allocate memory)");
  }
}

}  // namespace ws::cuda
