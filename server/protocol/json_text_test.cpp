#include "server/protocol/json_text.h"

#include <cstdint>
#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace ws::server {
namespace {

std::string appended(const Json& value) {
  std::string line = "before ";
  append_json(line, value);
  return line;
}

std::string dumped(const Json& value) {
  return "before " + value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

TEST_SUITE("server.json_text") {
  TEST_CASE("values are written as nlohmann writes them") {
    const Json values = {nullptr,
                         true,
                         false,
                         0,
                         -1,
                         std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::uint64_t>::max(),
                         0.1,
                         -0.0,
                         1e300,
                         std::numeric_limits<double>::infinity(),
                         "",
                         "plain ~",
                         Json::object(),
                         Json::array(),
                         {{"a\"b", {1, {{"c", nullptr}}}}, {"d", Json::array({Json::array()})}}};
    for (const Json& value : values) {
      CHECK(appended(value) == dumped(value));
    }
    CHECK(appended(values) == dumped(values));
  }

  TEST_CASE("every byte and every cut character are written as nlohmann writes them") {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text = "a" + std::string(1, static_cast<char>(byte)) + "b";
      CAPTURE(byte);
      CHECK(appended(text) == dumped(text));
      CHECK(appended({{text, text}}) == dumped({{text, text}}));
    }
    for (const char* text : {"\xc3\xa4", "\xe2\x82", "\xf0\x9f\x98\x80", "\xed\xa0\x80"}) {
      CHECK(appended(text) == dumped(text));
    }
  }
}

}  // namespace ws::server
