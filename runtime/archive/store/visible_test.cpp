// Tests of what principals see of each other's rows.

#include "runtime/archive/store/visible.h"

#include <doctest/doctest.h>

#include "runtime/archive/search/kernel_family.h"
#include "runtime/archive/store/test_viewers.h"
#include "runtime/search/fingerprint.h"

namespace ws::test {
namespace {

/// The message without the id that it names.
std::string error_without(std::string text, const std::string& id) {
  const std::size_t at = text.find(id);
  return at == std::string::npos ? text : text.replace(at, id.size(), "ID");
}

SearchRequest of_code(const char* source) {
  SearchRequest request;
  request.runs = token_runs(source);
  request.failures = true;
  return request;
}

}  // namespace

TEST_SUITE("archive.visible") {
  TEST_CASE("what another principal does not share is as unknown as what is not there") {
    const OfAlice all;
    const ViewerScope bob(private_viewer("bob"));
    Archive& archive = all.archive();
    const auto same = [](const auto& hidden, const std::string& id, const auto& unknown,
                         const std::string& other) {
      REQUIRE_FALSE(hidden.has_value());
      REQUIRE_FALSE(unknown.has_value());
      CHECK(error_without(to_text(hidden.error()), id) ==
            error_without(to_text(unknown.error()), other));
    };
    same(archive.problem("prb_mm_aaaa"), "prb_mm_aaaa", archive.problem("prb_mm_ffff"),
         "prb_mm_ffff");
    same(archive.problem("prb_aaa"), "prb_aaa", archive.problem("prb_fff"), "prb_fff");
    same(archive.kernel("krn_mm_aaaa"), "krn_mm_aaaa", archive.kernel("krn_mm_ffff"),
         "krn_mm_ffff");
    same(archive.kernel("krn_aaa"), "krn_aaa", archive.kernel("krn_fff"), "krn_fff");
    same(archive.kernel("mm@main"), "mm@main", archive.kernel("mm@none"), "mm@none");
    same(archive.kernel("alice:mm@main"), "alice:mm@main", archive.kernel("carol:mm@main"),
         "carol:mm@main");
    same(archive.ref("mm@main"), "mm@main", archive.ref("mm@none"), "mm@none");
    same(archive.root("krn_child_bbbb"), "krn_child_bbbb", archive.root("krn_x"), "krn_x");
    same(archive.evidence(all.evidence()), all.evidence(), archive.evidence("evd_0"), "evd_0");
    same(archive.job("job_1"), "job_1", archive.job("job_2"), "job_2");
    same(archive.set_ref("a@b", "krn_mm_aaaa"), "krn_mm_aaaa", archive.set_ref("a@b", "krn_x"),
         "krn_x");
    same(archive.put_label({"krn_mm_aaaa", "note", "n"}), "krn_mm_aaaa",
         archive.put_label({"krn_x", "note", "n"}), "krn_x");
    same(archive.put_kernel({"krn_1", "k", "prb_mm_aaaa", {}, "{}", {}}), "prb_mm_aaaa",
         archive.put_kernel({"krn_1", "k", "prb_x", {}, "{}", {}}), "prb_x");
    EvidenceRow row;
    row.kernel_id = "krn_mm_aaaa";
    EvidenceRow other;
    other.kernel_id = "krn_x";
    same(archive.add_evidence(row), "krn_mm_aaaa", archive.add_evidence(other), "krn_x");
    same(archive.search(of_problem("prb_mm_aaaa")), "prb_mm_aaaa",
         archive.search(of_problem("prb_x")), "prb_x");
    same(all.listing().family("krn_mm_aaaa", 9), "krn_mm_aaaa", all.listing().family("krn_x", 9),
         "krn_x");
    CHECK_FALSE(archive.has_kernel("krn_mm_aaaa").value());
  }

  TEST_CASE("lists leave out what another principal does not share") {
    const OfAlice all;
    Archive& archive = all.archive();
    const auto count = [&] {
      std::size_t sum = archive.children("krn_mm_aaaa")->size();
      sum += archive.labels("krn_mm_aaaa", 9)->size();
      sum += archive.pass_history("krn_child_bbbb")->size();
      sum += archive.pass_statistics("tile")->size();
      sum += archive.latest_evidence("krn_mm_aaaa", "", "validate")->has_value() ? 1U : 0U;
      sum += archive.reference_benchmark("prb_mm_aaaa")->has_value() ? 1U : 0U;
      sum += archive.sample_passed("cpu:0", 9)->size();
      sum += hits_of(archive, of_words("tile", true)) + hits_of(archive, of_words("secretword"));
      sum += hits_of(archive, of_code(kTiled));
      sum += all.lines().refs({}, 9)->size() + all.lines().refs("krn_mm_aaaa", 9)->size();
      sum += all.lines().newest_evidence("krn_mm_aaaa", "cpu:0", "validate", 9)->size();
      sum += all.lines().answers("krn_mm_aaaa", "cpu:0", "validate")->size();
      sum += static_cast<std::size_t>(*all.lines().passed_validations("krn_mm_aaaa", "cpu:0"));
      sum += all.lines().failed_passes("krn_mm_aaaa")->size();
      sum += all.lines().failure_of("krn_child_bbbb")->has_value() ? 1U : 0U;
      sum += all.listing().problems({}, 9)->rows.size();
      sum += all.listing().devices("prb_mm_aaaa")->size();
      sum += all.listing().newest("prb_mm_aaaa", {}, 9)->rows.size();
      sum += all.listing().judged("prb_mm_aaaa", true, "cpu:0", {}, 9)->rows.size();
      sum += all.listing().fastest("prb_mm_aaaa")->size();
      sum += all.listing().search("tile", 9)->size();
      sum += all.listing().standings("krn_mm_aaaa")->size();
      sum += all.listing().evidence_of("krn_mm_aaaa", {}, 9)->rows.size();
      sum += all.listing().labels("krn_mm_aaaa", 9)->size();
      return sum;
    };
    const std::size_t whole = count();
    CHECK(whole > 20);
    {
      const ViewerScope bob(private_viewer("bob"));
      CHECK(count() == 0);
    }
    const ViewerScope alice(private_viewer("alice"));
    CHECK(count() == whole);
  }

  TEST_CASE("who stores the same content owns it too, and sees no more than that") {
    const OfAlice all;
    Archive& archive = all.archive();
    const ViewerScope bob(private_viewer("bob"));
    put_problem(archive, "prb_mm_aaaa", "matmul", 1024);
    REQUIRE(archive.put_kernel({"krn_child_bbbb",
                                "k",
                                "prb_mm_aaaa",
                                {},
                                R"({"language": "cuda", "source": "int child;"})",
                                {}}));
    const auto child = archive.kernel("krn_child_bbbb");
    REQUIRE_MESSAGE(child.has_value(), to_text(child.error()));
    CHECK(child->parent.empty());
    CHECK(archive.root("krn_child_bbbb")->id == "krn_child_bbbb");
    CHECK_FALSE(archive.kernel("krn_mm_aaaa").has_value());
    put_kernel(archive, "krn_mm_aaaa", "prb_mm_aaaa", kTiled);
    CHECK(archive.kernel("krn_child_bbbb")->parent == "krn_mm_aaaa");
    CHECK(archive.labels("krn_mm_aaaa", 9)->empty());
    CHECK(all.listing().standings("krn_mm_aaaa")->empty());
    CHECK(hits_of(archive, of_words("secretword")) == 0);
    CHECK(archive.search(of_problem("prb_mm_aaaa"))->hits.empty());
    judge(archive, "krn_mm_aaaa", "validate", Verdict::kPassed);
    const auto found = archive.search(of_problem("prb_mm_aaaa"));
    REQUIRE(found->hits.size() == 1);
    CHECK_FALSE(found->hits[0].ratio.has_value());  // The benchmark is Alice's.
    CHECK(archive.evidence(found->hits[0].evidence_id).has_value());
    CHECK(all.listing().standings("krn_mm_aaaa")->size() == 1);
  }

  TEST_CASE("what is stored on stdio is everybody's, also where a principal had it") {
    const OfAlice all;
    put_problem(all.archive(), "prb_mm_aaaa", "matmul", 1024);
    put_kernel(all.archive(), "krn_mm_aaaa", "prb_mm_aaaa", kTiled);
    const ViewerScope bob(private_viewer("bob"));
    CHECK(all.archive().kernel("krn_mm_aaaa").has_value());
    CHECK_FALSE(all.archive().evidence(all.evidence()).has_value());
  }
}

}  // namespace ws::test
