// The loader of Vulkan, where Vulkan's headers are.
#if __has_include(<vulkan/vulkan_core.h>)
#include "runtime/device/vulkan/worker/api.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("device.vulkan.loader") {
  TEST_CASE("without a loader, the answer says what to install") {
    const auto none = vulkan::Api::open("libvulkan_nowhere.so.1");
    REQUIRE(!none.has_value());
    CHECK(to_text(none.error()) ==
          "unsupported: no Vulkan loader is here: libvulkan_nowhere.so.1 is missing "
          "(libvulkan_nowhere.so.1: cannot open shared object file: No such file or directory); "
          "apt install mesa-vulkan-drivers, which has a device on the CPU (lavapipe) too");
  }
}

}  // namespace ws
#endif
