#include "server/protocol/message.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

std::string refused(const std::string& text) {
  const auto value = parse_json(text);
  REQUIRE_FALSE(value.has_value());
  return value.error().message;
}

}  // namespace

TEST_SUITE("server.message") {
  TEST_CASE("a key that stands twice in one object is refused by name") {
    CHECK(refused(R"({"a": 1, "b": {"c": 1, "c": 2}})") ==
          "the key `c` stands twice in one object");
    CHECK(refused(R"([{"a:b": ":"}, {"source": "x", "n": 1, "source": "y"}])") ==
          "the key `source` stands twice in one object");
    CHECK(refused(R"({"a": 1, "\u0061": 2})") == "the key `a` stands twice in one object");
    CHECK(refused("{\"" + std::string(100, 'x') + "\": 1, \"" + std::string(100, 'x') + "\": 2}") ==
          "the key `" + std::string(64, 'x') + "...` stands twice in one object");
  }

  TEST_CASE("equal keys of different objects, and colons in texts, are nothing special") {
    const std::string text = R"({"a": {"a": [{"a": "b: c", "d:": "\":"}, {"a": null}]}, "e": []})";
    const auto value = parse_json(text);
    REQUIRE(value.has_value());
    CHECK((*value)["a"]["a"][0]["a"] == "b: c");
  }

  TEST_CASE("bytes that are no message are refused with their place") {
    CHECK(refused("{\"a\": ") == "the message is not JSON: error at byte 7");
    CHECK(refused("{\"a\": \"\xff\"}") == "the message is not valid UTF-8 at byte 8");
    CHECK(refused(std::string(200, '[')) == "the message is nested deeper than " +
                                                std::to_string(kMaxJsonDepth) + " levels at byte " +
                                                std::to_string(kMaxJsonDepth + 1));
  }
}

}  // namespace ws::server
