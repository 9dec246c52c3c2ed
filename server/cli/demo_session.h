// The steps of the demo, driven through a client, shown and kept.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "server/cli/demo_screen.h"
#include "server/cli/demo_steps.h"
#include "server/cli/stdio_client.h"

namespace ws::server {

/// One thread. The client and the screen outlive it.
class DemoSession {
 public:
  DemoSession(StdioClient& client, const DemoScreen& screen);

  /// Says who serves and on what device. @errors what the client says.
  Status introduce();

  /// All of kDemoSteps, up to the first that fails.
  /// @errors kInternal: a step did not give what it should; what the client says.
  Status run_steps();

  /// The results so far: {version, protocol, device, steps[]}.
  [[nodiscard]] const Json& report() const { return report_; }

 private:
  Status run_step(const DemoStep& step, std::size_t number);
  Result<Json> call(const DemoStep& step, const std::string& half, const Json& arguments);
  [[nodiscard]] std::string id_of(std::string_view kernel) const;
  [[nodiscard]] Json arguments_of(const DemoStep& step) const;
  void keep(const DemoStep& step, const DemoRow& row, const Json& answer, bool ok);

  StdioClient& client_;
  const DemoScreen& screen_;
  std::map<std::string, std::string, std::less<>> ids_;  // The kernels that were sent, by name.
  std::string problem_id_;
  Json report_ = Json::object();
};

}  // namespace ws::server
