#include "runtime/base/client_key.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.client_key") {
  TEST_CASE("a key names its principal, whatever its client calls itself") {
    CHECK(client_key("ci", "10.0.0.7 agent") == "@ci 10.0.0.7 agent");
    CHECK(principal_of("@ci 10.0.0.7 agent") == "ci");
    CHECK(principal_of(client_key("ci", "10.0.0.7 @bob x")) == "ci");
    CHECK(principal_of(client_key("ci", "")) == "ci");
    CHECK(client_key(kLocalPrincipal, "stdio") == "stdio");
    CHECK(principal_of("stdio") == kLocalPrincipal);
    CHECK(principal_of("127.0.0.1 @bob x") == kLocalPrincipal);
    CHECK(principal_of("") == kLocalPrincipal);
  }
}

}  // namespace ws
