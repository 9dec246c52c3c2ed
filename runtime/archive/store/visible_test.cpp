// Tests of what principals see of each other's rows.
#include "runtime/archive/store/visible.h"

#include <doctest/doctest.h>

#include "runtime/archive/search/kernel_family.h"
#include "runtime/archive/search/listing.h"
#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/series_store.h"
#include "runtime/archive/store/usage.h"
#include "runtime/base/viewer.h"
#include "runtime/search/fingerprint.h"

namespace ws::test {
namespace {

ViewerPtr private_viewer(const std::string& name) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = false});
}

ViewerPtr sharing_viewer(const std::string& name) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = true});
}

template <typename T>
std::string error_of(const Result<T>& result) {
  return result ? "" : to_text(result.error());
}

/// The message without the id that it names.
std::string error_without(std::string text, const std::string& id) {
  const std::size_t at = text.find(id);
  return at == std::string::npos ? text : text.replace(at, id.size(), "ID");
}

/// Alice's problem with a kernel that passed, its child, a note, a ref, a try and a job.
class OfAlice {
 public:
  OfAlice()
      : archive_(open_archive(folder_)),
        lines_(*LineStore::open(folder_.path())),
        listing_(*ArchiveListing::open(folder_.path())) {
    const ViewerScope alice(private_viewer("alice"));
    put_problem(*archive_, "prb_mm_aaaa", "matmul", 1024);
    put_kernel(*archive_, "krn_mm_aaaa", "prb_mm_aaaa", kTiled);
    REQUIRE(archive_->put_kernel({"krn_child_bbbb",
                                  "k",
                                  "prb_mm_aaaa",
                                  "krn_mm_aaaa",
                                  R"({"language": "cuda", "source": "int child;"})",
                                  {}}));
    judge(*archive_, "krn_mm_aaaa", "validate", Verdict::kPassed);
    judge(*archive_, "krn_mm_aaaa", "benchmark", Verdict::kFaster, 3);
    REQUIRE(archive_->put_label({"krn_mm_aaaa", "note", "secretword"}));
    REQUIRE(archive_->set_ref("mm@main", "krn_mm_aaaa"));
    REQUIRE(archive_->add_pass_try({.transformation = "tile",
                                    .base_id = "krn_mm_aaaa",
                                    .kernel_id = "krn_child_bbbb",
                                    .verdict = Verdict::kIncorrect,
                                    .reason = "private"}));
    JobRow job;
    job.id = "job_1";
    job.tool = "validate";
    job.status = "running";
    job.json = "{}";
    job.client = "@alice x";
    REQUIRE(archive_->put_job(job));
    evidence_ = (*archive_->latest_evidence("krn_mm_aaaa", "", "validate"))->id;
  }

  [[nodiscard]] Archive& archive() const { return *archive_; }

  [[nodiscard]] LineStore& lines() const { return *lines_; }

  [[nodiscard]] ArchiveListing& listing() const { return *listing_; }

  [[nodiscard]] const TestFolder& folder() const { return folder_; }

  /// The id of the validation.
  [[nodiscard]] const std::string& evidence() const { return evidence_; }

 private:
  TestFolder folder_;
  std::unique_ptr<Archive> archive_;
  std::unique_ptr<LineStore> lines_;
  std::unique_ptr<ArchiveListing> listing_;
  std::string evidence_;
};

std::size_t hits_of(Archive& archive, SearchRequest request) {
  const auto found = archive.search(request);
  REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
  return found->hits.size() + found->unverified;
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

  TEST_CASE(
      "a search says of a kernel what its seen evidence says, whatever hidden evidence does") {
    const TestFolder folder;
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
    const TestFolder folder;
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

  TEST_CASE("what is stored on stdio is everybody's, also where a principal had it") {
    const OfAlice all;
    put_problem(all.archive(), "prb_mm_aaaa", "matmul", 1024);
    put_kernel(all.archive(), "krn_mm_aaaa", "prb_mm_aaaa", kTiled);
    const ViewerScope bob(private_viewer("bob"));
    CHECK(all.archive().kernel("krn_mm_aaaa").has_value());
    CHECK_FALSE(all.archive().evidence(all.evidence()).has_value());
  }

  TEST_CASE("series of one name are apart") {
    const OfAlice all;
    const auto series = SeriesStore::open(all.folder().path());
    REQUIRE((*series)->add("s", {.kernel_id = "a", .value = 1}).has_value());
    const ViewerScope bob(private_viewer("bob"));
    CHECK((*series)->rows("s")->empty());
    CHECK((*series)->add("s", {.kernel_id = "b", .value = 2})->size() == 1);
    const ViewerScope alice(private_viewer("alice"));
    CHECK((*series)->rows("s")->empty());
  }

  TEST_CASE("a principal stores as much as it may, and each of two owners has the whole row") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    const auto lines = *LineStore::open(folder.path());
    const auto used = [&](const std::string& owner) {
      const auto usage = ArchiveUsage::open(folder.path());
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

  TEST_CASE("nothing is left of the owners of rows that are gone") {
    const TestFolder folder;
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
    auto file = Connection::open((folder.path() / "archive.db").string(), false);
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
