#include "server/protocol/changes.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

ViewerPtr viewer_named(const std::string& name) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = false});
}

/// Somebody on a stream of 2026-07-28, who wants to hear of the list and of one address.
struct Client {
  explicit Client(Changes& changes, const std::string& name) {
    const bool listens =
        changes.listen({.send = [this](const std::string& line) { heard.push_back(line); },
                        .subscription = name,
                        .filter = {.resources = true, .uris = {"kernel://a/log"}},
                        .viewer = viewer_named(name)},
                       stop.get_token(), [] {});
    REQUIRE(listens);
    heard.clear();  // The acknowledgement.
  }

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  ~Client() { stop.request_stop(); }

  std::vector<std::string> heard;
  std::stop_source stop;
};

}  // namespace

TEST_SUITE("protocol.changes") {
  TEST_CASE("only those hear of a change who see it, and each viewer is asked as itself") {
    Changes changes;
    Client alice(changes, "alice");
    Client bob(changes, "bob");
    std::string asked;
    const auto sees = [&asked] {
      asked += current_viewer().owner + " ";
      return current_viewer().owner == "alice";
    };
    changes.resources_changed(sees);
    changes.resource_updated("kernel://a/log", sees);
    CHECK(bob.heard.empty());
    CHECK(alice.heard.size() == 2);
    CHECK((asked == "alice bob alice bob " || asked == "bob alice bob alice "));
    CHECK(current_viewer().owner.empty());
    changes.resource_updated("kernel://b/log", [] {
      FAIL_CHECK("nobody listens for it");
      return true;
    });
    changes.resources_changed();
    CHECK(bob.heard ==
          std::vector<std::string>{
              R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed",)"
              R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"bob"}}})"});
  }
}

}  // namespace ws::server
