#include "server/protocol/request_state.h"

#include <doctest/doctest.h>

namespace ws::server {
namespace {

constexpr const char* kForeign =
    "`requestState` is not what this server gave out for this request; send it as it came, with "
    "the "
    "same parameters, or begin again without it";

}  // namespace

TEST_SUITE("protocol.request_state") {
  TEST_CASE("a state comes back for the request that left it") {
    const RequestStates states;
    const Json state = {{"round", 2}, {"name", "é"}};
    CHECK(states.open(states.seal(state, "a"), "a").value() == state);
  }

  TEST_CASE("a state is refused that was changed, or that belongs elsewhere") {
    const RequestStates states;
    const RequestStates others;
    const std::string sealed = states.seal({{"round", 1}}, "a");
    const std::string changed = states.seal({{"round", 2}}, "a");
    const std::string mixed =
        changed.substr(0, changed.find('.')) + sealed.substr(sealed.find('.'));
    for (const std::string& text :
         {std::string(), std::string("."), sealed + "-TAMPERED", sealed.substr(1), mixed,
          sealed.substr(0, sealed.find('.')), others.seal({{"round", 1}}, "a"),
          states.seal({{"round", 1}}, "b")}) {
      CAPTURE(text);
      const RpcResult<Json> opened = states.open(text, "a");
      REQUIRE_FALSE(opened);
      CHECK(opened.error().code == rpc::kInvalidParams);
      CHECK(opened.error().message == kForeign);
    }
  }

  TEST_CASE("a state that is too old is refused") {
    const RequestStates states{std::chrono::seconds(-10)};
    const RpcResult<Json> opened = states.open(states.seal(1, "a"), "a");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message ==
          "`requestState` is too old; begin again without it and `inputResponses`");
  }

  TEST_CASE("a request keeps its name from try to try") {
    const Json first = {{"name", "t"}, {"arguments", {{"a", 1}}}, {"_meta", {{"x", 1}}}};
    Json second = first;
    second.update({{"requestState", "s"}, {"inputResponses", Json::object()}, {"_meta", 1}});
    CHECK(request_name("tools/call", first) == request_name("tools/call", second));
    second["arguments"]["a"] = 2;
    CHECK(request_name("tools/call", first) != request_name("tools/call", second));
    CHECK(request_name("tools/call", first) != request_name("prompts/get", first));
  }
}

}  // namespace ws::server
