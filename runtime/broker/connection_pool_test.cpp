#include "runtime/broker/connection_pool.h"

#include <stdexcept>

#include <doctest/doctest.h>

#include "runtime/broker/test_broker.h"

namespace ws {
namespace {

Status do_nothing(Connection&) {
  return {};
}

}  // namespace

TEST_SUITE("broker.connections") {
  TEST_CASE("a call that finds all connections in use is told so") {
    TestBroker test("connections that are all in use");
    if (test.left_out()) {
      return;
    }
    ConnectionPool pool(test.url(), 1, std::chrono::milliseconds(1));
    Status refused;
    CHECK(pool.use([&](Connection&) -> Status {
                refused = pool.use(do_nothing);
                return {};
              })
              .has_value());
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "busy: all connections to the database are in use; try again");
    CHECK(pool.use(do_nothing).has_value());
  }

  TEST_CASE("a call that throws, or whose connection cannot be made, leaves its place to others") {
    TestBroker test("connections of calls that throw");
    if (test.left_out()) {
      return;
    }
    ConnectionPool pool(test.url(), 1, std::chrono::milliseconds(1));
    CHECK_THROWS_AS(pool.use([](Connection&) -> Status { throw std::runtime_error("no"); }),
                    std::runtime_error);
    CHECK(pool.use(do_nothing).has_value());
    ConnectionPool nowhere("postgres://me@/one?host=/nowhere", 1, std::chrono::milliseconds(1));
    for (int i = 0; i < 2; ++i) {
      const Status gone = nowhere.use(do_nothing);
      REQUIRE_FALSE(gone.has_value());
      CHECK(gone.error().code == ErrorCode::kIo);
    }
  }
}

}  // namespace ws
