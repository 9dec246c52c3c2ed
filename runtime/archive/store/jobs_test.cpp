// Jobs of several servers in one archive.
#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_place.h"
#include "runtime/base/clock.h"

namespace ws {

TEST_SUITE("archive.jobs") {
  JobRow row_of(const std::string& id, const std::string& status, std::int64_t age_ms) {
    JobRow row;
    row.id = id;
    row.tool = "validate";
    row.status = status;
    row.json = "{}";
    row.updated_ms = unix_ms() - age_ms;
    row.instance = "one";
    row.arguments = R"({"level":"quick"})";
    return row;
  }

  TEST_CASE(
      "a job is claimed once by a server that saw its present state, and never when it has ended") {
    const TestPlace folder;
    const auto archive = *Archive::open(folder.place());
    REQUIRE(archive->put_job(row_of("a", "running", 0)).has_value());
    const JobRow seen = *archive->job("a");
    CHECK(seen.instance == "one");
    CHECK(seen.arguments == R"({"level":"quick"})");
    CHECK(*archive->claim_job(seen, "two"));
    CHECK_FALSE(*archive->claim_job(seen, "three"));
    JobRow now = *archive->job("a");
    CHECK(now.instance == "two");
    CHECK(now.resumed == 1);
    CHECK(*archive->claim_job(now, "two"));  // Its own again: no one took it over.
    CHECK(archive->job("a")->resumed == 1);
    now.status = "done";
    now.instance = "other";
    now.arguments = "other";
    REQUIRE(archive->put_job(now).has_value());
    CHECK(archive->job("a")->instance == "two");
    CHECK(archive->job("a")->arguments == R"({"level":"quick"})");
    CHECK_FALSE(*archive->claim_job(*archive->job("a"), "three"));
  }

  TEST_CASE("ended jobs are kept for a day, others for a week") {
    const TestPlace folder;
    const auto archive = *Archive::open(folder.place());
    const std::int64_t more = 60'000;
    for (const JobRow& row :
         {row_of("ended", "done", kJobKeptMs + more), row_of("new", "done", kJobKeptMs - more),
          row_of("open", "running", kUnfinishedKeptMs - more),
          row_of("lost", "queued", kUnfinishedKeptMs + more)}) {
      REQUIRE(archive->put_job(row).has_value());
    }
    CHECK(*archive->prune_jobs() == 2);
    CHECK(archive->job("new").has_value());
    CHECK(archive->job("open").has_value());
    CHECK_FALSE(archive->job("lost").has_value());
  }
}

}  // namespace ws
