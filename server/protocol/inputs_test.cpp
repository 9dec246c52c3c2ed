#include "server/protocol/inputs.h"

#include <doctest/doctest.h>

namespace ws::server {
namespace {

const Json kForm = Json::parse(R"({"method": "elicitation/create", "params": {
    "message": "?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}}})");
const Json kPage = Json::parse(
    R"({"method": "elicitation/create", "params": {"mode": "url", "url": "https://a"}})");
const Json kModel = {{"method", "sampling/createMessage"}, {"params", Json::object()}};
const Json kRoots = {{"method", "roots/list"}};

bool answers(const Json& request, const char* response) {
  const Inputs inputs{.responses = {{"k", Json::parse(response)}}};
  return inputs.unanswered({{"k", request}}).empty();
}

}  // namespace

TEST_SUITE("protocol.inputs") {
  TEST_CASE("a response counts when it fits what was asked") {
    CHECK(answers(kForm, R"({"action": "accept", "content": {"name": "A"}})"));
    CHECK(answers(kForm, R"({"action": "decline"})"));
    CHECK(answers(kForm, R"({"action": "cancel"})"));
    CHECK(answers(kPage, R"({"action": "accept"})"));
    CHECK(answers(kModel, R"({"role": "assistant", "content": {"type": "text", "text": "a"}})"));
    CHECK(answers(kRoots, R"({"roots": []})"));
    for (const char* off :
         {"{}", "[]", "null", "7", R"({"action": "maybe"})", R"({"action": "accept"})",
          R"({"action": 1})", R"({"action": "accept", "content": {"name": 5}})"}) {
      CAPTURE(off);
      CHECK_FALSE(answers(kForm, off));
    }
    CHECK_FALSE(answers(kModel, R"({"role": "assistant"})"));
    CHECK_FALSE(answers(kRoots, R"({"roots": 1})"));
    CHECK(Inputs{}.unanswered({{"a", kForm}, {"b", kRoots}}).size() == 2);
  }

  TEST_CASE("a client is asked only for what it declares") {
    const Json requests = {{"f", kForm}, {"m", kModel}, {"p", kPage}, {"r", kRoots}};
    CHECK(answerable(requests, {{"elicitation", Json::object()}}).value() == Json{{"f", kForm}});
    CHECK(answerable(requests,
                     {{"elicitation", {{"url", Json::object()}}}, {"sampling", Json::object()}})
              ->size() == 3);
    const RpcResult<Json> none = answerable({{"m", kModel}, {"p", kPage}}, Json::object());
    REQUIRE_FALSE(none);
    CHECK(none.error().code == rpc::kMissingCapability);
    CHECK(none.error().http_status == kBadRequest);
    CHECK(none.error().message ==
          "this request asks its client for something: the client must declare elicitation, "
          "sampling");
    CHECK(none.error().data ==
          Json::parse(R"({"requiredCapabilities": {"elicitation": {"url": {}}, "sampling": {}}})"));
  }

  TEST_CASE("responses must be objects by key") {
    CHECK(responses_of(Json::object()).value() == Json::object());
    CHECK(responses_of({{"inputResponses", {{"a", Json::object()}}}}).has_value());
    CHECK(responses_of({{"inputResponses", nullptr}}).error().message ==
          "`inputResponses` must be an object: results by key");
    CHECK(responses_of({{"inputResponses", {{"a", 1}}}}).error().message ==
          "`inputResponses` must hold objects; \"a\" is none");
  }
}

}  // namespace ws::server
