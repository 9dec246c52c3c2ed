#include "runtime/base/hmac.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.hmac") {
  // RFC 4231, test cases 1, 2 and 6.
  TEST_CASE("signatures are those of the standard") {
    CHECK(hmac_hex(std::string(20, '\x0b'), "Hi There") ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hmac_hex("Jefe", "what do ya want for nothing?") ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hmac_hex(std::string(131, '\xaa'),
                   "Test Using Larger Than Block-Size Key - Hash Key First") ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  }

  TEST_CASE("signatures that differ in one place, or in length, are not the same") {
    CHECK(same_signature("abc", "abc"));
    CHECK_FALSE(same_signature("abc", "abd"));
    CHECK_FALSE(same_signature("abc", "ab"));
    CHECK_FALSE(same_signature("", "a"));
    CHECK_FALSE(same_signature("", ""));
  }

  TEST_CASE("hex digits are bytes") {
    CHECK(bytes_of_hex("00ff4a") == std::string("\0\xff\x4a", 3));
  }
}

}  // namespace ws
