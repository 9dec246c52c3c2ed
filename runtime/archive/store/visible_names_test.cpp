// Tests of names of kernels, and of the sharing of kernels, between principals.

#include <doctest/doctest.h>

#include "runtime/archive/store/test_viewers.h"

namespace ws::test {

TEST_SUITE("archive.visible_names") {
  TEST_CASE("each has names of its own, beside those that all share") {
    const OfAlice all;
    Archive& archive = all.archive();
    put_problem(archive, "prb_open", "scan", 8);
    put_kernel(archive, "krn_open", "prb_open", "int open;");
    REQUIRE(archive.set_ref("mm@main", "krn_open"));
    const ViewerScope bob(private_viewer("bob"));
    CHECK(*archive.ref("mm@main") == "krn_open");
    put_kernel(archive, "krn_bobs", "prb_open", "int bob;");
    REQUIRE(archive.set_ref("mm@main", "krn_bobs", "krn_open"));
    CHECK(*archive.ref("mm@main") == "krn_bobs");
    CHECK(all.lines().refs("krn_bobs", 9)->front().name == "mm@main");
    CHECK(archive.labels("krn_bobs", 9)->front().text == "mm@main");
    {
      const ViewerScope alice(private_viewer("alice"));
      CHECK(*archive.ref("mm@main") == "krn_mm_aaaa");
    }
    const ViewerScope local(nullptr);
    CHECK(*archive.ref("mm@main") == "krn_open");
    CHECK(*archive.ref("bob:mm@main") == "krn_bobs");
  }

  TEST_CASE("a principal whose name begins another's does not see its names") {
    const OfAlice all;
    Archive& archive = all.archive();
    put_problem(archive, "prb_open", "scan", 8);
    put_kernel(archive, "krn_open", "prb_open", "int open;");
    {
      const ViewerScope ann(private_viewer("oauth:ann"));
      REQUIRE(archive.set_ref("mm@main", "krn_open"));
      CHECK(all.lines().refs({}, 9)->size() == 1);
    }
    const ViewerScope oauth(private_viewer("oauth"));
    CHECK(all.lines().refs({}, 9)->empty());
    CHECK(error_of(archive.ref("ann:mm@main")) ==
          "not_found: no ref `ann:mm@main`; a ref is made by compile_kernel with `ref`");
  }

  TEST_CASE("a shared name is moved by its owner") {
    const OfAlice all;
    Archive& archive = all.archive();
    const ViewerScope carol(sharing_viewer("carol"));
    put_problem(archive, "prb_scan", "scan", 8);
    put_kernel(archive, "krn_a", "prb_scan", "int a;");
    put_kernel(archive, "krn_b", "prb_scan", "int b;");
    REQUIRE(archive.set_ref("scan@main", "krn_a"));
    REQUIRE(archive.set_ref("scan@main", "krn_b"));
    const ViewerScope dave(sharing_viewer("dave"));
    CHECK(error_of(archive.set_ref("scan@main", "krn_a")) ==
          "conflict: the ref `scan@main` belongs to another principal; choose another name");
    CHECK(*archive.ref("scan@main") == "krn_b");
  }

  TEST_CASE("a shared name of a kernel that is hidden is moved by nobody who does not see it") {
    const OfAlice all;
    Archive& archive = all.archive();
    REQUIRE(all.lines().add_ref(
        {.name = "best@fixed", .kernel_id = "krn_mm_aaaa", .fixed = true, .updated_at = {}}));
    const ViewerScope carol(sharing_viewer("carol"));
    put_problem(archive, "prb_scan", "scan", 8);
    put_kernel(archive, "krn_carol", "prb_scan", "int carol;");
    const RefRow ref{
        .name = "best@fixed", .kernel_id = "krn_carol", .fixed = false, .updated_at = {}};
    const std::string refusal =
        "conflict: the ref `best@fixed` belongs to another principal; choose another name";
    CHECK(to_text(all.lines().add_ref(ref).error()) == refusal);
    CHECK(error_of(archive.set_ref("best@fixed", "krn_carol")) == refusal);
    {
      const ViewerScope bob(private_viewer("bob"));
      put_kernel(archive, "krn_bob", "prb_scan", "int bob;");
      CHECK(archive.set_ref("best@fixed", "krn_bob").has_value());  // One of his own.
    }
    const ViewerScope local(nullptr);
    CHECK(*archive.ref("best@fixed") == "krn_mm_aaaa");
  }

  TEST_CASE("a name that looks like a job keeps its owner when jobs are forgotten") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    {
      const ViewerScope alice(sharing_viewer("alice"));
      put_problem(*archive, "prb_scan", "scan", 8);
      put_kernel(*archive, "krn_alice", "prb_scan", "int alice;");
      REQUIRE(archive->set_ref("job_best@main", "krn_alice"));
    }
    JobRow job;
    job.id = "job_1";
    job.tool = "validate";
    job.status = "done";
    job.json = "{}";
    job.updated_ms = 1;
    REQUIRE(archive->put_job(job));
    REQUIRE(*archive->prune_jobs() == 1);
    const ViewerScope bob(sharing_viewer("bob"));
    put_kernel(*archive, "krn_bob", "prb_scan", "int bob;");
    CHECK(error_of(archive->set_ref("job_best@main", "krn_bob")) ==
          "conflict: the ref `job_best@main` belongs to another principal; choose another name");
  }

  TEST_CASE("a kernel is shared with its problem and evidence, and taken back without it") {
    const OfAlice all;
    Archive& archive = all.archive();
    const auto shared = archive.share("krn_mm_aaaa", true);
    REQUIRE_MESSAGE(shared.has_value(), to_text(shared.error()));
    CHECK(shared->id == "krn_mm_aaaa");
    CHECK(shared->rows == 5);  // Kernel, problem, two pieces of evidence and the note.
    {
      const ViewerScope bob(private_viewer("bob"));
      CHECK(archive.kernel("krn_mm_aaaa").has_value());
      CHECK(archive.problem("prb_mm_aaaa").has_value());
      CHECK(archive.evidence(all.evidence()).has_value());
      CHECK(archive.labels("krn_mm_aaaa", 9)->size() == 1);
      CHECK(hits_of(archive, of_words("secretword")) == 1);
      CHECK(archive.children("krn_mm_aaaa")->empty());
      CHECK_FALSE(archive.ref("mm@main").has_value());
    }
    REQUIRE(archive.share("krn_mm_aaaa", false));
    const ViewerScope bob(private_viewer("bob"));
    CHECK_FALSE(archive.kernel("krn_mm_aaaa").has_value());
    CHECK_FALSE(archive.evidence(all.evidence()).has_value());
    CHECK(archive.problem("prb_mm_aaaa").has_value());
  }

  TEST_CASE("what nobody owns cannot be taken back, and what is not there cannot be shared") {
    const OfAlice all;
    put_problem(all.archive(), "prb_open", "scan", 8);
    CHECK(error_of(all.archive().share("prb_open", false)) ==
          "unsupported: prb_open is everybody's: nobody owns it; only what principals stored can "
          "be taken back");
    CHECK(error_of(all.archive().share("krn_x", true)) ==
          "not_found: no kernel `krn_x`; ids come from compile_kernel");
  }
}

}  // namespace ws::test
