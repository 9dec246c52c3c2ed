#include "runtime/base/message.h"

#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace ws {
namespace {

using namespace std::string_literals;

}  // namespace

TEST_SUITE("base.message") {
  TEST_CASE("JSON and blobs come back as they were") {
    const nlohmann::json json = {{"name", "a\0b\n"s}, {"bytes", 2}};
    const std::string blob = "\0\xff{"s;
    const std::string frame = encode_message(json, {"ab", blob});
    CHECK(frame == "{\"bytes\":2,\"name\":\"a\\u0000b\\n\"}\0ab\0\xff{"s);
    const MessageParts parts = split_message(frame);
    CHECK(nlohmann::json::parse(parts.json) == json);
    CHECK(parts.blobs == "ab" + blob);
  }

  TEST_CASE("a message without blobs is not one with empty blobs") {
    CHECK(split_message("{}").json == "{}");
    CHECK_FALSE(split_message("{}").blobs.has_value());
    CHECK(split_message(encode_message(nlohmann::json::object(), {})).blobs == "");
    CHECK(split_message("").json.empty());
  }

  TEST_CASE("bytes that are no UTF-8 are replaced in a line of JSON") {
    CHECK(json_line(nlohmann::json("a\xff")) == "\"a\xef\xbf\xbd\"");
  }

  TEST_CASE("a text is read as a value, or is malformed") {
    CHECK(parse_value<std::vector<int>>("[1,2]", "list") == std::vector<int>{1, 2});
    for (const std::string& text : {"[1,\"2\"]"s, "{"s, ""s, "\xff\0"s}) {
      const Result<std::vector<int>> value = parse_value<std::vector<int>>(text, "list");
      REQUIRE_FALSE(value.has_value());
      CHECK(value.error().code == ErrorCode::kInternal);
      CHECK(value.error().message == "a malformed list");
      CHECK(value.error().source.starts_with("[json.exception.type_error.302]"));
    }
  }
}

}  // namespace ws
