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
}

}  // namespace ws
