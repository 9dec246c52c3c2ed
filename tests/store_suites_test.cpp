// The suites of the archive, once more on PostgreSQL.
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/postgres_cluster.h"
#include "tests/support/run_program.h"

namespace ws::test {
namespace {

/// Those whose archives are of TestPlace. Their cases of files of older versions are left out.
constexpr const char* kSuites[] = {
    "archive.rows",           "archive.jobs",
    "archive.names",          "archive.refs",
    "archive.tries",          "archive.series",
    "archive.usage",          "archive.garbage",
    "archive.search",         "archive.listing",
    "archive.labels",         "archive.index",
    "archive.visible",        "archive.import",
    "archive.pieces",         "archive.index_check",
    "archive.retention",      "archive.operations",
    "archive.kernel_status",  "archive.unknown_verdict",
    "archive.stored_bytes",   "archive.visible_names",
    "archive.visible_search", "archive.many_runs",
};

}  // namespace

TEST_SUITE("archive.on_postgres") {
  TEST_CASE("the suites of the archive pass on PostgreSQL") {
    if (!has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: the archive's suites on it");
      return;
    }
    std::string suites;
    for (const char* suite : kSuites) {
      suites += (suites.empty() ? "" : ",") + std::string(suite);
    }
    ::setenv("WARPSMITH_TEST_STORE", "postgres", 1);
    const Ended ended = run_program(
        {"-ts=" + suites, "-tce=an archive of the*version*", "--no-colors=true"}, "", "ws_tests");
    ::unsetenv("WARPSMITH_TEST_STORE");
    CHECK_MESSAGE(ended.status == 0, ended.out);
    CHECK(ended.out.find("test cases:") != std::string::npos);
  }
}

}  // namespace ws::test
