// list_devices: which devices there are, and what each can do.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "runtime/session/services.h"
#include "tools/answers_at_once.h"
#include "tools/tool.h"

namespace ws {

class ListDevicesTool : public Tool, public AnswersAtOnce {
 public:
  explicit ListDevicesTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

  /// Once every device has said what it is: what still changes, queues and what was measured.
  [[nodiscard]] std::optional<std::string> version_now() override;
  [[nodiscard]] std::string version_of(const Json& answer) const override;

 private:
  /// What a device said of itself, which does not change while the server runs.
  struct Known {
    DeviceInfo info;
    Json facts;
  };

  /// Lives as long as the tool. @errors as Backend::info; then the next call asks again.
  Result<const Known*> ask(Device& device);
  Json describe(Device& device);
  void put_changing(const Device& device, const DeviceInfo& info, Json& row);

  ToolSpec spec_;
  Services& services_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // guarded by mutex_; by device; entries stay as they are
};

}  // namespace ws
