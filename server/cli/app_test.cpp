// A server that cannot start says which limit to raise.
#include "server/cli/app.h"

#include <system_error>

#include <doctest/doctest.h>
#include <sys/resource.h>

namespace ws::server {
namespace {

std::string told() {
  const std::system_error none(EAGAIN, std::generic_category());
  return to_text(cannot_start(none).value());
}

}  // namespace

TEST_SUITE("cli.app") {
  TEST_CASE("where no thread can be started, limits of threads and of addresses are named") {
    const std::string threads =
        "io: the server cannot start: the system has no thread left (Resource temporarily "
        "unavailable); raise the limit of processes and threads: ulimit -u, or pids.max of the "
        "cgroup";
    rlimit before = {};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit bounded = {RLIM_INFINITY - 1, before.rlim_max};
    const rlimit unbounded = {RLIM_INFINITY, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &bounded) == 0);
    CHECK(told() == threads + "; or that of addresses, which stacks of threads take: ulimit -v");
    REQUIRE(::setrlimit(RLIMIT_AS, &unbounded) == 0);
    CHECK(told() == threads);
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  }

  TEST_CASE("where there is no memory, limits of memory are named") {
    CHECK(to_text(cannot_start(std::bad_alloc()).value()) ==
          "io: the server cannot start: the system has no memory left; raise the limit: ulimit -v, "
          "or memory.max of the cgroup");
  }
}

}  // namespace ws::server
