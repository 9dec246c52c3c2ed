// Tests of speed-ups and searches that another principal's rows would change.

#include <doctest/doctest.h>

#include "runtime/archive/store/test_viewers.h"

namespace ws::test {

TEST_SUITE("archive.visible_search") {
  TEST_CASE(
      "a search says of a kernel what its seen evidence says, whatever hidden evidence does") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    const auto put_both = [&] {
      put_problem(*archive, "prb_both", "scan", 8);
      put_kernel(*archive, "krn_both", "prb_both", "int both;");
    };
    const auto found = [&](bool failures) {
      const auto result = archive->search(of_problem("prb_both", failures));
      REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
      std::string text;
      for (const SearchHit& hit : result->hits) {
        text += hit.kernel_id + (hit.passed ? " passed" : " failed");
      }
      return text + "+" + std::to_string(result->unverified);
    };
    {
      const ViewerScope alice(private_viewer("alice"));
      put_both();
      judge(*archive, "krn_both", "validate", Verdict::kIncorrect);
      CHECK(found(true) == "krn_both failed+0");
      CHECK(found(false) == "+0");
    }
    const ViewerScope bob(private_viewer("bob"));
    put_both();
    CHECK(found(true) == "+1");
    judge(*archive, "krn_both", "validate", Verdict::kPassed);
    CHECK(found(true) == "krn_both passed+0");
    CHECK(found(false) == "krn_both passed+0");
    const ViewerScope alice(private_viewer("alice"));
    CHECK(found(false) == "+0");
  }

  TEST_CASE("a list of judged kernels has each where the evidence that the viewer sees puts it") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    const auto listing = *ArchiveListing::open(folder.place());
    const auto put_all = [&] {
      put_problem(*archive, "prb_both", "scan", 8);
      for (const char* id : {"krn_mine", "krn_both", "krn_hers", "krn_fast"}) {
        put_kernel(*archive, id, "prb_both", std::string("int ") + id + ";");
      }
    };
    const auto listed = [&](bool passed) {
      std::string text;
      std::string mark;
      do {
        const auto page = listing->judged("prb_both", passed, "cpu:0", mark, 1);
        REQUIRE_MESSAGE(page.has_value(), to_text(page.error()));
        for (const ListedKernel& kernel : page->rows) {
          text += kernel.row.id + (kernel.standings.front().speed ? " timed " : " ");
        }
        mark = page->next;
      } while (!mark.empty());
      return text;
    };
    {
      const ViewerScope bob(private_viewer("bob"));
      put_all();
      judge(*archive, "krn_mine", "validate", Verdict::kPassed);
      judge(*archive, "krn_both", "validate", Verdict::kPassed);
      judge(*archive, "krn_fast", "validate", Verdict::kPassed);
      judge(*archive, "krn_fast", "benchmark", Verdict::kFaster, 2);
    }
    {
      const ViewerScope alice(private_viewer("alice"));
      put_all();
      judge(*archive, "krn_both", "validate", Verdict::kIncorrect);
      judge(*archive, "krn_hers", "validate", Verdict::kPassed);
      judge(*archive, "krn_fast", "validate", Verdict::kIncorrect);
      CHECK(listed(true) == "krn_hers ");
      CHECK(listed(false) == "krn_fast krn_both ");
    }
    CHECK(listed(true) == "krn_hers krn_mine ");
    CHECK(listed(false) == "krn_fast krn_both ");
    const ViewerScope bob(private_viewer("bob"));
    CHECK(listed(true) == "krn_fast timed krn_both krn_mine ");
    CHECK(listed(false).empty());
    CHECK(*listing->devices("prb_both") == std::vector<std::string>{"cpu:0"});
    CHECK(listing->rejected("prb_both")->empty());
    CHECK(listing->fastest("prb_both")->front().row.id == "krn_fast");
    const auto newest = listing->newest("prb_both", {}, 9);
    REQUIRE(newest->rows.size() == 4);
    CHECK(newest->rows[1].row.id == "krn_hers");
    CHECK(newest->rows[1].standings.empty());  // To Bob it was not judged.
    const ViewerScope carol(private_viewer("carol"));
    CHECK(listed(true).empty());
  }

  TEST_CASE("a speed-up over a baseline that is hidden is shown nowhere") {
    const OfAlice all;
    Archive& archive = all.archive();
    put_problem(archive, "prb_mm_aaaa", "matmul", 1024);
    put_kernel(archive, "krn_open", "prb_mm_aaaa", "int open;");
    judge(archive, "krn_open", "validate", Verdict::kPassed);
    time_against(archive, "krn_open", 7, "krn_mm_aaaa");
    const std::string timed = (*archive.latest_evidence("krn_open", "", "benchmark"))->id;
    const auto shown = [&] {
      std::string text;
      const auto add = [&text](const std::optional<ListedSpeed>& speed) {
        text += speed ? speed->against + " " : "- ";
      };
      add(all.listing().standings("krn_open")->front().speed);
      for (const auto& page : {*all.listing().judged("prb_mm_aaaa", true, "cpu:0", {}, 9),
                               *all.listing().newest("prb_mm_aaaa", {}, 9)}) {
        for (const ListedKernel& kernel : page.rows) {
          if (kernel.row.id == "krn_open") {
            add(kernel.standings.front().speed);
          }
        }
      }
      const auto found = archive.search(of_problem("prb_mm_aaaa"));
      for (const SearchHit& hit : found->hits) {
        text += hit.kernel_id == "krn_open" ? hit.against + "!" : "";
      }
      return text;
    };
    const auto read = [&] {
      return (archive.evidence(timed).has_value() ? 1U : 0U) +
             all.lines().newest_evidence("krn_open", "cpu:0", "benchmark", 9)->size() +
             all.lines().answers("krn_open", "cpu:0", "benchmark")->size() +
             (archive.latest_evidence("krn_open", "", "benchmark")->has_value() ? 1U : 0U);
    };
    const auto listed = [&] { return all.listing().evidence_of("krn_open", {}, 9)->rows.size(); };
    CHECK(shown() == "krn_mm_aaaa krn_mm_aaaa krn_mm_aaaa krn_mm_aaaa!");
    CHECK(read() == 4);
    CHECK(listed() == 2);
    const ViewerScope bob(private_viewer("bob"));
    CHECK(shown() == "- - - !");
    CHECK(read() == 0);
    CHECK(listed() == 1);
  }

  TEST_CASE("a speed-up over a baseline says nothing of hidden times of that baseline") {
    const OfAlice all;
    Archive& archive = all.archive();
    const ViewerScope bob(private_viewer("bob"));
    put_problem(archive, "prb_mm_aaaa", "matmul", 1024);
    put_kernel(archive, "krn_mm_aaaa", "prb_mm_aaaa", kTiled);
    put_kernel(archive, "krn_bob", "prb_mm_aaaa", "int bob;");
    judge(archive, "krn_bob", "validate", Verdict::kPassed);
    time_against(archive, "krn_bob", 2, "krn_mm_aaaa");
    const auto total = [&] { return all.listing().standings("krn_bob")->front().speed->total; };
    CHECK_FALSE(total().has_value());  // Only Alice knows that it is 3 times the reference.
    judge(archive, "krn_mm_aaaa", "validate", Verdict::kPassed);
    judge(archive, "krn_mm_aaaa", "benchmark", Verdict::kFaster, 1.5);
    CHECK(total() == 3);
    const ViewerScope local(nullptr);
    CHECK(total().has_value());
  }

  TEST_CASE("a word of a hidden note finds nothing, also where the kernel was never judged") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_open", "scan", 8);
    put_kernel(*archive, "krn_open", "prb_open", "int open;");
    const ViewerScope alice(private_viewer("alice"));
    REQUIRE(archive->put_label({"krn_open", "note", "secretword"}));
    CHECK(hits_of(*archive, of_words("secretword")) == 1);
    const ViewerScope bob(private_viewer("bob"));
    CHECK(hits_of(*archive, of_words("secretword")) == 0);
    CHECK(hits_of(*archive, of_words("open")) == 1);
  }
}

}  // namespace ws::test
