#include "runtime/base/core_gate.h"

#include <optional>
#include <thread>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.core_gate") {
  /// Whether it is let in at once. What waits is asked to stop first: then it cannot be.
  bool enters(CoreGate & gate, bool alone) {
    std::stop_source stopped;
    stopped.request_stop();
    return (alone ? gate.own(stopped.get_token()) : gate.share(stopped.get_token())).has_value();
  }

  TEST_CASE("those who share are inside together, and one who owns is alone") {
    CoreGate gate;
    {
      const auto first = gate.share({});
      const auto second = gate.share({});
      REQUIRE(first.has_value());
      REQUIRE(second.has_value());
      CHECK_FALSE(enters(gate, true));
    }
    const auto owner = gate.own({});
    REQUIRE(owner.has_value());
    CHECK_FALSE(enters(gate, true));
    CHECK_FALSE(enters(gate, false));
  }

  TEST_CASE("a job that waits to be alone is not overtaken by those that share") {
    CoreGate gate;
    std::optional<CoreGate::Hold> inside;
    inside.emplace(*gate.share({}));
    bool owned = false;
    std::jthread owner([&] {
      const auto hold = gate.own({});
      owned = hold.has_value();
    });
    // It is in line as soon as a later job may not share.
    while (enters(gate, false)) {
      std::this_thread::yield();
    }
    inside.reset();
    owner.join();
    CHECK(owned);
    CHECK(enters(gate, false));
  }

  TEST_CASE("a stop request ends the wait, with an error") {
    CoreGate gate;
    const auto owner = gate.own({});
    std::stop_source stop;
    stop.request_stop();
    const auto refused = gate.share(stop.get_token());
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) == "cancelled: the call was cancelled");
  }
}

}  // namespace ws
