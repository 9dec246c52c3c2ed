#include "runtime/archive/store/usage.h"

#include <doctest/doctest.h>

#include "runtime/archive/store/test_place.h"

namespace ws {

TEST_SUITE("archive.usage") {
  TEST_CASE("the numbers follow the rows, and jobs come newest first without their results") {
    const TestPlace folder;
    auto archive = Archive::open(folder.place());
    REQUIRE(archive.has_value());
    auto usage = ArchiveUsage::open(folder.place());
    REQUIRE(usage.has_value());
    const auto empty = (*usage)->numbers();
    REQUIRE(empty.has_value());
    CHECK(empty->problems == 0);
    CHECK(empty->kernels == 0);
    CHECK(empty->evidence == 0);
    CHECK((*usage)->jobs(10)->empty());
    REQUIRE((*archive)->put_problem({"prb_a", "a", "{}", ""}).has_value());
    REQUIRE((*archive)->put_problem({"prb_b", "b", "{}", ""}).has_value());
    REQUIRE((*usage)->try_write().has_value());
    for (const auto& [id, time] : {std::pair("job_old", 1000), std::pair("job_new", 2000)}) {
      REQUIRE((*archive)->put_job({id, "tune", "running", "{}", "", time}).has_value());
    }
    const auto numbers = (*usage)->numbers();
    REQUIRE(numbers.has_value());
    CHECK(numbers->problems == 2);
    CHECK(numbers->file_bytes + numbers->log_bytes > 0);
    const auto jobs = (*usage)->jobs(10);
    REQUIRE(jobs.has_value());
    REQUIRE(jobs->size() == 2);
    CHECK(jobs->front().id == "job_new");
    CHECK(jobs->front().tool == "tune");
    CHECK(jobs->front().status == "running");
    CHECK((*usage)->jobs(1)->size() == 1);
  }
}

}  // namespace ws
