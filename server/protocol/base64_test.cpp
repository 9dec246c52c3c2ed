#include "server/protocol/base64.h"

#include <doctest/doctest.h>

namespace ws::server {

TEST_SUITE("protocol.base64") {
  TEST_CASE("bytes come back from their text") {
    struct Case {
      std::string bytes;
      std::string text;
    };

    const Case cases[] = {
        {"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {std::string("\0\xff\x10", 3), "AP8Q"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.text);
      CHECK(to_base64(c.bytes) == c.text);
      CHECK(from_base64(c.text) == c.bytes);
    }
  }

  TEST_CASE("what no encoder makes is refused") {
    for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zm9v!m9v", "=Zg=", "Zg==Zg=="}) {
      CAPTURE(text);
      CHECK_FALSE(from_base64(text));
    }
  }
}

}  // namespace ws::server
