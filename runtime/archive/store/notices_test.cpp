#include "runtime/archive/store/notices.h"

#include <doctest/doctest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/archive/store/postgres_store.h"
#include "runtime/base/files.h"
#include "tests/support/postgres_cluster.h"

namespace ws {
namespace {

using Texts = std::vector<std::string>;

constexpr std::chrono::milliseconds kLongEnough{10000};

}  // namespace

TEST_SUITE("archive.notices") {
  TEST_CASE("notices of a channel come in order, none twice in a row, and a wait can be ended") {
    if (!test::has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: notices");
      return;
    }
    test::PostgresCluster cluster;
    cluster.start();
    const std::string url = cluster.url("postgres");
    const Fd wake(::eventfd(0, EFD_CLOEXEC));
    auto listener = listen_postgres(url, "warpsmith_test");
    REQUIRE_MESSAGE(listener.has_value(), to_text(listener.error()));
    auto sender = open_postgres(url);
    REQUIRE(sender.has_value());
    const auto send = [&](const std::string& sql) { REQUIRE(sender->execute(sql).has_value()); };
    send("NOTIFY warpsmith_other, 'lost'");
    send("NOTIFY warpsmith_test, 'one'");
    CHECK(*(*listener)->wait(kLongEnough, wake.get()) == Texts{"one"});
    send("BEGIN; NOTIFY warpsmith_test, 'two'; NOTIFY warpsmith_test, 'three'; COMMIT");
    CHECK(*(*listener)->wait(kLongEnough, wake.get()) == Texts{"two", "three"});
    CHECK((*listener)->wait(std::chrono::milliseconds(0), wake.get())->empty());
    const std::uint64_t once = 1;
    REQUIRE(::write(wake.get(), &once, sizeof once) == sizeof once);
    CHECK((*listener)->wait(std::chrono::hours(1), wake.get())->empty());
    cluster.stop();
    auto lost = (*listener)->wait(std::chrono::hours(1), -1);
    while (lost) {  // The server's last words came.
      lost = (*listener)->wait(std::chrono::hours(1), -1);
    }
    CHECK(to_text(lost.error()) ==
          "io: the archive `postgres://warpsmith@/postgres` was lost in the middle of a call "
          "(PQconsumeInput: server closed the connection unexpectedly This probably means the "
          "server terminated abnormally before or while processing the request.); see that the "
          "server runs and takes connections from here; the next call tries again");
  }
}

}  // namespace ws
