#include "server/protocol/written_answers.h"

#include <memory>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

WrittenAnswers::Question asked(const Json& arguments, Revision revision = kModern) {
  const auto question = WrittenAnswers::question("tool", arguments, revision);
  REQUIRE(question.has_value());
  return *question;
}

}  // namespace

TEST_SUITE("protocol.written_answers") {
  TEST_CASE(
      "an answer is found by tool, arguments and revision, as long as it is made of the same "
      "object") {
    WrittenAnswers answers;
    const Json arguments = {{"device", "cpu:0"}};
    const auto first = std::make_shared<const Json>(Json::object());
    const auto second = std::make_shared<const Json>(Json::object());
    answers.note(asked(arguments), first, "{\"a\":1}");
    CHECK(answers.find(asked(arguments), first) == "{\"a\":1}");
    CHECK_FALSE(answers.find(asked(arguments), second).has_value());
    CHECK_FALSE(answers.find(asked(Json::object()), first).has_value());
    CHECK_FALSE(answers.find(asked({{"device", "cpu:1"}}), first).has_value());
    CHECK_FALSE(answers.find(asked({{"device", 1}}), first).has_value());
    CHECK_FALSE(answers.find(asked(arguments, Revision::kJune2025), first).has_value());
    answers.note(asked(arguments), second, "{}");
    CHECK(answers.find(asked(arguments), second) == "{}");
    CHECK_FALSE(answers.find(asked(arguments), first).has_value());
  }

  TEST_CASE("arguments and answers that are large are not kept, and never many") {
    WrittenAnswers answers;
    const auto first = std::make_shared<const Json>(Json::object());
    const std::string large(1000, 'x');
    CHECK_FALSE(WrittenAnswers::question("tool", {{"device", large}}, kModern).has_value());
    CHECK_FALSE(WrittenAnswers::question("tool", {{large, 1}}, kModern).has_value());
    CHECK_FALSE(WrittenAnswers::question("tool", {{"in", Json::array()}}, kModern).has_value());
    answers.note(asked(Json::object()), first, std::string(100'000, 'x'));
    CHECK_FALSE(answers.find(asked(Json::object()), first).has_value());
    int kept = 0;
    for (int i = 0; i < 1000; ++i) {
      answers.note(asked({{"number", i}}), first, "{}");
    }
    for (int i = 0; i < 1000; ++i) {
      kept += answers.find(asked({{"number", i}}), first).has_value() ? 1 : 0;
    }
    CHECK(answers.find(asked({{"number", 999}}), first).has_value());
    CHECK(kept <= 64);
  }
}

}  // namespace ws::server
