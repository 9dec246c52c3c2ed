// The real tools on a data folder of their own, with the real executable for workers.
#pragma once

#include <memory>
#include <string>

#include "runtime/archive/store/test_folder.h"
#include "runtime/session/reward_pins.h"
#include "server/protocol/mcp_server.h"
#include "tools/all_tools.h"
#include "tools/tool.h"

namespace ws::test {

class ToolBench {
 public:
  /// With so many GPUs of fake_gpus.h, or the CPU engine alone.
  /// @param sanitizer  As fake_gpu() has it.
  explicit ToolBench(int fake_gpus = 0, std::string sanitizer = "");

  /// Beside the CPU engine, what Vulkan finds with one driver only.
  struct WithVulkan {
    std::string driver;  ///< The file that describes it.
  };

  explicit ToolBench(WithVulkan vulkan);

  /// One call, as the server makes it: arguments against the input schema, then the tool. REQUIREs
  /// that a success meets the output schema.
  Result<Json> call(const std::string& tool, const Json& arguments, CallContext context = {});
  /// The result. REQUIREs a success.
  Json result(const std::string& tool, const Json& arguments);
  /// The error's text, as it stands on the wire. REQUIREs an error.
  std::string refusal(const std::string& tool, const Json& arguments);

  /// compile_kernel, then validate; what stopped first.
  Json judge(const Json& problem, const Json& kernel, const std::string& level = "quick");
  /// compile_kernel's kernel_id. REQUIREs the verdict compiled.
  std::string compiled(const Json& problem, const Json& kernel);

  /// Ends the services and opens them again on the same folder.
  void restart();

  /// The same, as a server that has set these terms of rewards.
  void restart_with(const RewardPins& pins);

  /// Its data folder.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  [[nodiscard]] Services& services() const { return *services_; }

  [[nodiscard]] ResourceReader& resources() const { return *resources_; }

  [[nodiscard]] const ToolRegistry& registry() const { return *registry_; }

 private:
  const int fake_gpus_;
  const std::string sanitizer_;
  const std::string vulkan_driver_;  ///< Empty: no Vulkan.
  std::shared_ptr<const RewardPins> reward_pins_;
  TestFolder folder_;
  std::unique_ptr<ToolRegistry> registry_;  // Jobs use its tools until the services end.
  std::unique_ptr<Services> services_;
  std::unique_ptr<ResourceReader> resources_;
};

/// With lavapipe, for tests of shaders; where lavapipe_is_here().
ToolBench& shader_tools();

/// Whether shaders can be compiled and run on the processor here. Says so once where they cannot.
bool lavapipe_is_here();

/// The file that describes lavapipe.
std::string lavapipe_driver();

/// One for all tests that leave nothing behind that others would notice: its workers are warm.
ToolBench& tools();

/// y[i] = 2 * x[i] over int x[n], y[n]; n is 1000 and open from 1 to 4096.
Json twice_problem();
/// The same with another reference body: `twice(const int* x, int* y, int n)` and its `i`.
Json twice_problem(const std::string& reference_body);
/// A kernel `k(const int* x, int* y, int n)` for it in 64 threads a block; `i` is the element.
/// The body starts in line 3 of the source.
Json twice_kernel(const std::string& body);
/// The same kernel with another whole source.
Json with_source(const std::string& source);
/// A kernel that is right.
Json good_kernel();

}  // namespace ws::test
