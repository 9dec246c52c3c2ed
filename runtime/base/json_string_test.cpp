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
}

}  // namespace ws
