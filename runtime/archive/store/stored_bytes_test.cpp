// Tests of what a principal has in the archive, and how much it may have.

#include <doctest/doctest.h>

#include "runtime/archive/store/counted_file.h"
#include "runtime/archive/store/series_store.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_viewers.h"
#include "runtime/archive/store/usage.h"
#include "runtime/base/files.h"

namespace ws::test {

TEST_SUITE("archive.stored_bytes") {
  TEST_CASE("series of one name are apart") {
    const OfAlice all;
    const auto series = SeriesStore::open(all.folder().place());
    REQUIRE((*series)->add("s", {.kernel_id = "a", .value = 1}).has_value());
    const ViewerScope bob(private_viewer("bob"));
    CHECK((*series)->rows("s")->empty());
    CHECK((*series)->add("s", {.kernel_id = "b", .value = 2})->size() == 1);
    const ViewerScope alice(private_viewer("alice"));
    CHECK((*series)->rows("s")->empty());
  }

  TEST_CASE("a principal stores as much as it may, and each of two owners has the whole row") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    const auto lines = *LineStore::open(folder.place());
    const auto used = [&](const std::string& owner) {
      const auto usage = ArchiveUsage::open(folder.place());
      const auto owners = (*usage)->owners(9);
      std::int64_t bytes = 0;
      for (const OwnerBytes& one : *owners) {
        bytes += one.owner == owner ? one.bytes : 0;
      }
      return bytes;
    };
    const auto limited = [](const char* owner, std::int64_t most) {
      return std::make_shared<const Viewer>(
          Viewer{.owner = owner, .sees_all = false, .shares = false, .most_bytes = most});
    };
    put_problem(*archive, "prb_open", "scan", 8);
    const std::string source(1'000'000, 'x');
    const KernelRow large{"krn_large", "k", "prb_open", {}, "\"" + source + "\"", {}};
    const std::string hint =
        "ask the operator of the server for more, or to remove what is old: warpsmith archive gc "
        "--principal bob";
    {
      const ViewerScope bob(limited("bob", 1'000'000));
      CHECK(error_of(archive->put_kernel(large)) ==
            "busy: the principal `bob` has stored 0.0 MB of the 1.0 MB that it may "
            "(stored-megabytes), and this is 1.0 MB; " +
                hint);
      CHECK_FALSE(archive->has_kernel("krn_large").value());
      CHECK(used("bob") == 0);
      CHECK(lines->check_room().has_value());
    }
    {
      const ViewerScope bob(limited("bob", 1'000'103));  // With its quotes, its name and the row.
      REQUIRE(archive->put_kernel(large));
      CHECK(used("bob") == 1'000'103);
      CHECK(error_of(lines->check_room()) ==
            "busy: the principal `bob` has stored 1.0 MB of the 1.0 MB that it may "
            "(stored-megabytes); " +
                hint);
      CHECK(archive->put_kernel(large).has_value());  // It has that one already.
      CHECK_FALSE(archive->put_label({"krn_large", "note", "n"}).has_value());
      CHECK_FALSE(archive->set_ref("large@main", "krn_large").has_value());
      judge(*archive, "krn_large", "compile", Verdict::kCompiled);  // The result of work is kept.
      CHECK(used("bob") > 1'000'103);
    }
    {
      const ViewerScope alice(limited("alice", 10));
      CHECK_FALSE(archive->put_kernel(large).has_value());
    }
    const ViewerScope alice(limited("alice", 10'000'000));
    REQUIRE(archive->put_kernel(large));
    CHECK(used("alice") == 1'000'103);
  }

  TEST_CASE("jobs count with what stands in them now, and rewards and files beside the archive") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    const auto usage = *ArchiveUsage::open(folder.place());
    const auto used = [&] {
      const auto owners = usage->owners(9);
      return owners->empty() ? 0 : owners->front().bytes;
    };
    const auto put_job = [&](const std::string& status, const std::string& json) {
      JobRow job;
      job.id = "job_one";
      job.tool = "tune";
      job.status = status;
      job.json = json;
      job.arguments = "{12}";
      REQUIRE(archive->put_job(job).has_value());
    };
    {
      const ViewerScope bob(private_viewer("bob"));
      put_job("queued", "{}");
      CHECK(used() == 100 + 2 + 4);
      put_job("running", "{123}");
      CHECK(used() == 100 + 5 + 4);
    }
    put_job("done", "{1234567}");  // It is Bob's, whoever writes it down.
    CHECK(used() == 100 + 9 + 4);
    put_job("done", "{}");  // It has ended, and stays as it is.
    CHECK(used() == 100 + 9 + 4);
    const ViewerScope bob(private_viewer("bob"));
    const auto series = *SeriesStore::open(folder.place());
    REQUIRE(series->add("s", {.kernel_id = "krn_1", .value = 1}).has_value());
    CHECK(used() == 113 + 100 + 5 + 5);  // The name is stored as "bob", a line's end and "s".
    REQUIRE(count_file(folder.place(), "journal.jsonl", 5000).has_value());
    CHECK(used() == 223 + 5000);
    REQUIRE(count_file(folder.place(), "journal.jsonl", 7000).has_value());
    CHECK(used() == 223 + 7000);
    REQUIRE(forget_gone_files(folder.place(), folder.path()).has_value());
    CHECK(used() == 223);
    REQUIRE(count_file(folder.place(), "journal.jsonl", 7000).has_value());
    REQUIRE(write_file(folder.path() / "journal.jsonl", "{}").has_value());
    REQUIRE(forget_gone_files(folder.place(), folder.path()).has_value());
    CHECK(used() == 223 + 7000);
    REQUIRE(count_file(folder.place(), "journal.jsonl", 0).has_value());
    CHECK(used() == 223);
    const ViewerScope local(nullptr);
    REQUIRE(count_file(folder.place(), "other.jsonl", 7000).has_value());
    CHECK(used() == 223);
  }

  TEST_CASE("nothing is left of the owners of rows that are gone") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    {
      const ViewerScope bob(private_viewer("bob"));
      put_problem(*archive, "prb_mm", "matmul", 1024);
      put_kernel(*archive, "krn_mm", "prb_mm", kTiled);
      judge(*archive, "krn_mm", "compile", Verdict::kCompiled);
      judge(*archive, "krn_mm", "compile", Verdict::kCompiled);
    }
    put_problem(*archive, "prb_last", "scan", 8);
    put_kernel(*archive, "krn_last", "prb_last", "int last;");
    judge(*archive, "krn_last", "compile", Verdict::kCompiled);
    auto file = folder.connection();
    REQUIRE(file->execute("UPDATE problems SET created_at = '2020-01-01T00:00:00Z'; "
                          "UPDATE kernels SET created_at = '2020-01-01T00:00:00Z'; "
                          "UPDATE evidence SET created_ms = 0")
                .has_value());
    const auto report = archive->collect_garbage({.days = 1, .max_bytes = 0}, true);
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(report->kernels == 1);
    auto rows = file->prepare("SELECT count(*) FROM owners");
    REQUIRE(rows->step().value());
    CHECK(rows->integer(0) == 0);
    auto left = file->prepare("SELECT sum(bytes) FROM owner_bytes");
    REQUIRE(left->step().value());
    CHECK(left->integer(0) == 0);
  }
}

}  // namespace ws::test
