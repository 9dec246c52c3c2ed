#include "server/protocol/client_state.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

/// One round of questions, and what became of it.
struct Round {
  Asks asks;
  std::vector<Json> sent;
  std::stop_source stop;
  int ended = 0;
  RpcResult<Json> result;

  void ask(const Json& requests) {
    asks.ask(
        requests, [this](const std::string& line) { sent.push_back(Json::parse(line)); },
        stop.get_token(),
        [this](RpcResult<Json> given) {
          ++ended;
          result = std::move(given);
        });
  }
};

const Json kTwo = Json::parse(R"({"a": {"method": "roots/list", "params": {}},
                                  "b": {"method": "roots/list", "params": {}}})");

}  // namespace

TEST_SUITE("protocol.client_state") {
  TEST_CASE("a round ends with the last response") {
    Round round;
    round.ask(kTwo);
    REQUIRE(round.sent.size() == 2);
    const std::string id = round.sent[0]["id"];
    CHECK(id.size() == 36);
    Json first = round.sent[0];
    first.erase("id");
    CHECK(first == Json::parse(R"({"jsonrpc": "2.0", "method": "roots/list", "params": {}})"));
    CHECK_FALSE(round.asks.take({{"id", "other"}, {"result", 1}}));
    CHECK_FALSE(round.asks.take({{"id", 7}, {"result", 1}}));
    CHECK(round.asks.take({{"id", round.sent[1]["id"]}, {"result", {{"roots", 2}}}}));
    CHECK(round.ended == 0);
    CHECK(round.asks.take({{"id", id}, {"result", {{"roots", 1}}}}));
    CHECK(round.ended == 1);
    CHECK(round.result.value() == Json::parse(R"({"a": {"roots": 1}, "b": {"roots": 2}})"));
    CHECK_FALSE(round.asks.take({{"id", id}, {"result", {{"roots", 1}}}}));
  }

  TEST_CASE("an error, a stop and the end of the client end a round once") {
    Round refused;
    refused.ask(kTwo);
    CHECK(refused.asks.take(
        {{"id", refused.sent[0]["id"]}, {"error", {{"code", -1}, {"message", "no"}}}}));
    CHECK(refused.result.error().message == "the client could not answer what it was asked: no");
    CHECK_FALSE(refused.asks.take({{"id", refused.sent[1]["id"]}, {"result", 1}}));

    Round stopped;
    stopped.ask(kTwo);
    stopped.stop.request_stop();
    CHECK(stopped.result.error().message == "the call was cancelled while it asked the client");
    stopped.asks.drop_all();
    CHECK(stopped.ended == 1);

    Round dropped;
    dropped.ask(kTwo);
    dropped.asks.drop_all();
    CHECK(dropped.result.error().message == "the client's session has ended");
    CHECK(dropped.ended == 1);
  }

  TEST_CASE("a session is there until it ends") {
    Sessions sessions;
    const std::string id = sessions.open({{"roots", Json::object()}}, "10.0.0.7 ann", "local");
    CHECK(id.size() == 32);
    REQUIRE(sessions.find(id, "local") != nullptr);
    CHECK(sessions.find(id, "local")->capabilities() == Json{{"roots", Json::object()}});
    CHECK(sessions.find("", "local") == nullptr);
    const std::stop_token ended = sessions.find(id, "local")->ended();
    CHECK_FALSE(ended.stop_requested());
    CHECK(sessions.end(id, "local"));
    CHECK(ended.stop_requested());
    CHECK(sessions.find(id, "local", true) == nullptr);
    const auto adopted = sessions.find("from before", "local", true);
    REQUIRE(adopted != nullptr);
    CHECK(sessions.find("from before", "local") == adopted);
    CHECK_FALSE(sessions.end(id, "local"));
    CHECK(sessions.find(id, "local") == nullptr);
  }

  TEST_CASE("a session is there for the principal that began it alone") {
    Sessions sessions;
    const std::string id = sessions.open({}, "10.0.0.7 ann", "ann");
    CHECK(sessions.find(id, "bob", true) == nullptr);
    CHECK_FALSE(sessions.end(id, "bob"));
    CHECK(sessions.find(id, "ann") != nullptr);
    CHECK(sessions.end(id, "ann"));
  }

  TEST_CASE("the session that was unused longest makes room") {
    Sessions sessions;
    const std::string first = sessions.open({}, "", "local");
    const std::string second = sessions.open({}, "", "local");
    CHECK(sessions.find(first, "local") != nullptr);
    for (int i = 0; i < 1023; ++i) {
      sessions.open({}, "", "local");
    }
    CHECK(sessions.find(second, "local") == nullptr);
    CHECK(sessions.find(first, "local") != nullptr);
  }
}

}  // namespace ws::server
