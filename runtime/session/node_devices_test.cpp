#include "runtime/session/node_devices.h"

#include <doctest/doctest.h>

#include "runtime/broker/fake_broker.h"

namespace ws {
namespace {

std::string lane_or_error(NodeDevices& devices, const std::string& device) {
  const Result<std::string> lane = devices.lane_of(device);
  return lane ? *lane : to_text(lane.error());
}

}  // namespace

TEST_SUITE("session.node_devices") {
  TEST_CASE("a call's lane is the kind of its device, or the best that nodes have") {
    FakeBroker broker;
    broker.on_devices = [] {
      return std::vector<OfferedDevice>{{"cpu:0", 2}, {"cuda:0", 1}, {"cuda:1", 1}};
    };
    NodeDevices devices(broker);
    CHECK(lane_or_error(devices, "") == "cuda");
    CHECK(lane_or_error(devices, "cuda:1") == "cuda");
    CHECK(lane_or_error(devices, "cpu:0") == "cpu");
    CHECK(lane_or_error(devices, "hip:0") == "hip");  // It waits for such a node.
    CHECK(lane_or_error(devices, "cuda:2") ==
          "not_found: no device `cuda:2`; the devices of nodes are cpu:0, cuda:0, cuda:1; see "
          "list_devices");
    for (const char* odd : {"gpu:0", "banana", "cuda", "hip:", "hip:x", ":0"}) {
      CHECK(lane_or_error(devices, odd) ==
            "not_found: no device `" + std::string(odd) +
                "`; the devices of nodes are cpu:0, cuda:0, cuda:1; see list_devices");
    }
  }

  TEST_CASE("where no node lives, calls wait for the kind that they name") {
    FakeBroker broker;
    NodeDevices devices(broker);
    CHECK(lane_or_error(devices, "") == "cpu");
    CHECK(lane_or_error(devices, "cuda:7") == "cuda");
    CHECK(
        lane_or_error(devices, "gpu:0") ==
        "not_found: no device `gpu:0`; no node lives now; devices are named like cuda:0 and cpu:0");
  }

  TEST_CASE("an answer of the broker serves for a while, an error does not, nor for a new device") {
    FakeBroker broker;
    int asked = 0;
    broker.on_devices = [&]() -> Result<std::vector<OfferedDevice>> {
      if (++asked == 1) {
        return fail(ErrorCode::kIo, "no database");
      }
      return std::vector<OfferedDevice>{{"cpu:0", 1}, {asked == 2 ? "hip:0" : "cuda:3", 1}};
    };
    NodeDevices devices(broker);
    CHECK(lane_or_error(devices, "") == "io: no database");
    CHECK(lane_or_error(devices, "") == "cpu");
    CHECK(lane_or_error(devices, "cpu:0") == "cpu");
    CHECK(asked == 2);
    CHECK(lane_or_error(devices, "cuda:3") == "cuda");
    CHECK(lane_or_error(devices, "") == "cuda");
    CHECK(asked == 3);
  }
}

}  // namespace ws
