// Drivers of Vulkan that crash, lose their device or have no memory.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "tests/vulkan/doubling.h"

namespace ws::test {
namespace {

/// The fake driver of tests/support/fake_vulkan under a name that scripts it.
class ScriptedDriver {
 public:
  explicit ScriptedDriver(const std::string& script) {
    const std::filesystem::path library = folder_.path() / ("driver" + script + ".so");
    std::filesystem::create_symlink(std::string(WS_BINARY_DIR) + "/libws_fake_vulkan.so", library);
    const Json described = {
        {"file_format_version", "1.0.0"},
        {"ICD", {{"library_path", library.string()}, {"api_version", "1.2.0"}}}};
    REQUIRE(write_file(file(), described.dump()).has_value());
  }

  /// The file that VK_DRIVER_FILES names.
  [[nodiscard]] std::string file() const { return folder_.path() / "lvp_icd.json"; }

 private:
  TestFolder folder_;
};

struct DriverCase {
  const char* script;
  const char* verdict;
  const char* message;
};

constexpr DriverCase kDrivers[] = {
    // The driver waits once for its compiler.
    {".lose_2", "runtime_error",
     "launches[0] (`k`): the device was lost: the shader crashed it, or ran for too long (Vulkan "
     "error -4)"},
    {".crash", "runtime_error", "the kernel's worker process died with signal 4"},
    {".memory", "resource_limit",
     "launches[0] (`k`): the device has no memory left for the launch (Vulkan error -2)"},
};

}  // namespace

TEST_SUITE("tools.vulkan.drivers") {
  TEST_CASE(
      "what a bad driver does with a shader is the shader's verdict, and the server goes on") {
    if (!lavapipe_is_here()) {
      return;
    }
    for (const DriverCase& row : kDrivers) {
      CAPTURE(row.script);
      const ScriptedDriver driver(row.script);
      ToolBench bench(ToolBench::WithVulkan{driver.file()});
      for (const char* end : {"", " "}) {  // The second one finds a device that is as before.
        const Json answer =
            bench.judge(doubling_problem(), shader(doubling(std::string(kRight) + end)));
        CHECK(answer["verdict"] == row.verdict);
        CHECK(answer.value("message", "") == row.message);
      }
    }
  }
}

}  // namespace ws::test
