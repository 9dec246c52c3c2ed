#include "runtime/base/json_string.h"

#include <doctest/doctest.h>

namespace ws {
TEST_SUITE("base.json_string") {
  TEST_CASE("plain text is copied, and other text escaped or replaced") {
    std::string out = "[";
    append_json_string(out, "");
    append_json_string(out, "a b");
    append_json_string(out, "quote\" back\\ line\n \xc3\xa9 \xff");
    CHECK(out == "[\"\"\"a b\"\"quote\\\" back\\\\ line\\n \xc3\xa9 \xef\xbf\xbd\"");
  }

  TEST_CASE("characters that a terminal obeys and does not show are escaped") {
    std::string out;
    append_shown_json_string(out, "a\x7f\xc2\x9b\x33m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8z");
    CHECK(out == R"("a\u007f\u009b3m\u202e\u2066\u2028z")");
    out.clear();
    append_shown_json_string(out, "\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xaa");
    CHECK(out == "\"\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xaa\"");
  }

  TEST_CASE("a text is plain where each of its bytes is, at every place") {
    CHECK(is_plain_json(""));
    for (const std::size_t size : {1, 7, 8, 9, 16, 19}) {
      for (std::size_t at = 0; at < size; ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          std::string text(size, '~');
          text[at] = static_cast<char>(byte);
          const bool plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
          REQUIRE_MESSAGE(is_plain_json(text) == plain, size, " ", at, " ", byte);
        }
      }
    }
  }
}

}  // namespace ws
