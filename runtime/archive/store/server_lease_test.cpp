#include "runtime/archive/store/server_lease.h"

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/instance.h"
#include "runtime/archive/store/test_folder.h"
#include "tests/support/postgres_cluster.h"

namespace ws {

TEST_SUITE("archive.server_lease") {
  TEST_CASE("servers with data folders of their own see each other in the database") {
    if (!test::has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: leases of servers");
      return;
    }
    const std::string url = test::take_database();
    {
      const TestFolder here;
      const TestFolder there;
      const auto archive = Archive::open(ArchivePlace(here.path(), url));
      REQUIRE(archive.has_value());
      const auto own = Instance::begin(ArchivePlace(here.path(), url));
      REQUIRE(own.has_value());
      std::string other;
      {
        const auto second = Instance::begin(ArchivePlace(there.path(), url));
        REQUIRE(second.has_value());
        other = second->id();
        CHECK(own->lives(other));
        CHECK(second->lives(own->id()));
        Result<Connection> file = open_postgres(url);
        REQUIRE(file.has_value());
        REQUIRE(file->execute("SET search_path = warpsmith; UPDATE instances SET seen_at = seen_at "
                              "- interval '31 seconds'")
                    .has_value());
        CHECK_FALSE(own->lives(other));
        CHECK(own->lives(own->id()));  // The database is not asked.
        REQUIRE(file->execute("UPDATE instances SET seen_at = seen_at + interval '31 seconds'")
                    .has_value());
        CHECK(own->lives(other));
      }
      CHECK_FALSE(own->lives(other));
      CHECK_FALSE(own->lives("0123456789abcdef"));
    }
    test::leave_database(url);
  }
}

}  // namespace ws
