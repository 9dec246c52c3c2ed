// list_devices: which devices there are, and what each can do.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

  /// Null until the devices in the answer have described themselves, and where they are nodes'.
  [[nodiscard]] std::shared_ptr<const Json> answer_now(const Json& arguments) override;

 protected:
  Result<DeviceList> run(const ListDevicesParams& params, CallContext& context) override;

 private:
  /// The device's own facts, which do not change while the server runs.
  struct Known {
    DeviceInfo info;
    Json facts;
  };

  /// Facts that may be others at the next call.
  struct Changing {
    std::size_t queue_length = 0;
    std::optional<double> noise_floor;
    std::optional<Ceilings> ceilings;

    bool operator==(const Changing&) const = default;
  };

  struct Answer {
    std::vector<Changing> changing;  ///< By device in it.
    std::shared_ptr<const Json> form;
  };

  /// Lives as long as the tool. @errors as Backend::info; then the next call asks again.
  Result<const Known*> ask(Device& device);
  /// Null: nobody has asked it yet.
  const Known* known(const Device& device);
  Json describe(Device& device);
  /// The devices of nodes that do this server's work. Its own do none.
  Result<DeviceList> list_of_nodes(const std::string& device);
  [[nodiscard]] Json row_of(const Device& device, const Known& known,
                            const Changing& changing) const;
  void put_pins(const Device& device, Json& row) const;
  Json machine();
  [[nodiscard]] Changing changing_of(const Device& device, const DeviceInfo& info) const;

  Services& services_;
  std::mutex mutex_;
  Json machine_;  // guarded by mutex_; null until somebody asks; it stays as it is
  std::map<std::string, Known> known_;     // guarded by mutex_; by device; entries stay as they are
  std::map<std::string, Answer> answers_;  // guarded by mutex_; by the device that is asked for
};

}  // namespace ws
