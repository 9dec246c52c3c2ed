// list_devices: which devices there are, and what each can do.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/session/services.h"
#include "tools/answers_at_once.h"
#include "tools/typed_tool.h"

namespace ws {

/// The arguments of `list_devices`.
struct ListDevicesParams {
  std::string device;  ///< Only this one; empty: all.
};

void from_json(const Json& arguments, ListDevicesParams& params);

struct DeviceList {
  std::string default_device;
  std::vector<Json> devices;  ///< The known facts of each.
  Json machine;               ///< The rows of facilities(); null where one device was asked for.
};

/// The whole answer. It takes the rows over, which are large.
void to_json(Json& answer, DeviceList list);

class ListDevicesTool : public TypedTool<ListDevicesParams, DeviceList>, public AnswersAtOnce {
 public:
  explicit ListDevicesTool(Services& services);

  /// The rest of the answer, after the devices in it have described themselves: queues and
  /// measurements.
  [[nodiscard]] std::optional<std::string> version_now(const Json& arguments) override;
  [[nodiscard]] std::string version_of(const Json& answer) const override;

 protected:
  Result<DeviceList> run(const ListDevicesParams& params, CallContext& context) override;

 private:
  /// The device's own facts, which do not change while the server runs.
  struct Known {
    DeviceInfo info;
    Json facts;
  };

  /// Lives as long as the tool. @errors as Backend::info; then the next call asks again.
  Result<const Known*> ask(Device& device);
  Json describe(Device& device);
  Json machine();
  void put_changing(const Device& device, const DeviceInfo& info, Json& row);

  Services& services_;
  std::mutex mutex_;
  Json machine_;  // guarded by mutex_; null until somebody asks; it stays as it is
  std::map<std::string, Known> known_;  // guarded by mutex_; by device; entries stay as they are
};

}  // namespace ws
