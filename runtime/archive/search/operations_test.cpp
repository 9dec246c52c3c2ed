// Kernels that were lifted are found by what they compute, others as before.
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/search/fingerprint.h"

namespace ws::test {
namespace {

/// Has nothing in common with kTiled but what any two kernels have.
constexpr const char* kOtherText =
    "template <class T> struct View { T* at; }; extern \"C\" __global__ void product(View<float> "
    "p) "
    "{ asm volatile(\"bar.sync 0;\"); while (p.at) { p.at = nullptr; } }";

const OperationCounts kMatmul = {{"@", 1}, {"to", 1}, {"+", 2}};

SearchRequest like(const char* source, const std::string& kernel_id) {
  SearchRequest request;
  request.runs = token_runs(source);
  request.exclude = kernel_id;
  return request;
}

/// The hits, each with the shares that it was found for: "other tokens - operations 1".
std::string shares(const SearchResult& result) {
  std::string text;
  for (const SearchHit& hit : result.hits) {
    text += (text.empty() ? "" : "; ") + hit.kernel_id;
    text += hit.common_share ? " by tokens" : "";
    text += hit.operations_share ? " by operations " + std::to_string(*hit.operations_share) : "";
  }
  return text;
}

/// `mine`, which was not judged, and `other`, which passed and has another text.
class Lifted : public Filled {
 public:
  Lifted() {
    put("mine", "prb_mm", std::string(kTiled) + "void own() {}");
    put("other", "prb_mm", kOtherText);
    judge(archive(), "other", "validate", Verdict::kPassed);
  }

  void lift(const std::string& id, const OperationCounts& counts) const {
    const Status done = archive().set_operations(id, counts);
    REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
  }

  [[nodiscard]] std::string found() const {
    SearchRequest request = like(kTiled, "mine");
    request.limit = 9;
    return shares(find(request));
  }

  void execute(const char* sql) const {
    auto file = folder().connection();
    const Status done = file->execute(sql);
    REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
  }
};

constexpr const char* kByTokens = "fast by tokens; slow by tokens; near by tokens";

struct Damage {
  const char* name;
  const char* sql;
  const char* findings;
};

// clang-format off
constexpr Damage kDamages[] = {
    {"no histogram", "UPDATE lifted_kernels SET operations = '{\"+\":' WHERE kernel_id = 'mine'",
     "mine: its operations differ"},
    {"a histogram of something else", "UPDATE lifted_kernels SET operations = '[7]' WHERE kernel_id = 'mine'",
     "mine: its operations differ"},
    {"a set that is missing", "DELETE FROM operation_sets",
     "mine: its operations differ; operation bands: 24 are of no set"},
    {"a set that cannot be read", "UPDATE operation_sets SET operations = 'x'",
     "mine: its operations differ; operation set 1: its bands differ; "
     "operation bands: 24 are of no set"},
    {"bands that are missing", "DELETE FROM operation_bands",
     "operation set 1: its bands differ"},
    {"bands of no set", "INSERT INTO operation_bands VALUES(1, 99)",
     "operation bands: 1 are of no set"},
};
// clang-format on

/// Rows of these tests have made-up ids, which are found too.
std::string of_the_index(const ArchiveCheck& check) {
  const std::string index = "in the search index: ";
  std::string text;
  for (std::string finding : check.findings) {
    if (const std::size_t at = finding.find(index); at != std::string::npos) {
      text += (text.empty() ? "" : "; ") + finding.erase(at, index.size());
    }
  }
  return text;
}

}  // namespace

TEST_SUITE("archive.operations") {
  TEST_CASE("kernels of another text are found by what they compute, once both were lifted") {
    const Lifted filled;
    CHECK(filled.found() == kByTokens);
    filled.lift("mine", kMatmul);
    CHECK(filled.found() == kByTokens);
    filled.lift("other", kMatmul);
    CHECK(filled.found() == std::string(kByTokens) + "; other by operations 1.000000");
    filled.lift("other", {{"@", 1}, {"to", 1}, {"+", 1}});
    CHECK(filled.found() == std::string(kByTokens) + "; other by operations 0.750000");
    // Four of seven: they meet in the index, but so much is common to most kernels.
    filled.lift("other", {{"@", 1}, {"to", 1}, {"+", 2}, {"exp", 3}});
    CHECK(filled.found() == kByTokens);
    filled.lift("other", {{"@", 1}, {"exp", 4}});
    CHECK(filled.found() == kByTokens);
  }

  TEST_CASE("equal operations lift a kernel of like text above others") {
    const Lifted filled;
    judge(filled.archive(), "slow", "benchmark", Verdict::kFaster, 3, R"({"cache": "hot"})");
    filled.lift("mine", kMatmul);
    filled.lift("slow", kMatmul);
    CHECK(filled.found() ==
          "slow by tokens by operations 1.000000; fast by tokens; near by tokens");
  }

  TEST_CASE("a failure that computes the same is found among failures only") {
    const Lifted filled;
    judge(filled.archive(), "other", "validate", Verdict::kIncorrect);
    filled.lift("mine", kMatmul);
    filled.lift("other", kMatmul);
    CHECK(filled.found() == kByTokens);
    SearchRequest request = like(kTiled, "mine");
    request.failures = true;
    request.limit = 9;
    CHECK(shares(filled.find(request)) ==
          std::string(kByTokens) + "; other by operations 1.000000");
  }

  TEST_CASE("kernels that were never judged hide none that computes the same") {
    const Lifted filled;
    filled.lift("mine", kMatmul);
    filled.lift("other", kMatmul);
    for (int i = 0; i < 40; ++i) {
      const std::string id = "new" + std::to_string(i);
      filled.put(id, "prb_mm", std::string(kOtherText) + "void f" + id + "();");
      filled.lift(id, kMatmul);
    }
    CHECK(filled.found() == std::string(kByTokens) + "; other by operations 1.000000");
  }

  TEST_CASE("operations of a kernel that is not stored are refused") {
    const Filled filled;
    const Status unknown = filled.archive().set_operations("none", kMatmul);
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()) == "not_found: no kernel `none`; ids come from compile_kernel");
  }

  TEST_CASE("damaged rows hinder no search, and verify names and repairs them") {
    for (const Damage& damage : kDamages) {
      CAPTURE(std::string(damage.name));
      const Lifted filled;
      filled.lift("mine", kMatmul);
      filled.execute(damage.sql);
      CHECK(filled.found() == kByTokens);
      const Result<ArchiveCheck> check = filled.archive().check();
      REQUIRE_MESSAGE(check.has_value(), to_text(check.error()));
      CHECK(of_the_index(*check) == damage.findings);
      CHECK(filled.archive().check()->misindexed == 0);
      filled.lift("mine", kMatmul);
      filled.lift("other", kMatmul);
      CHECK(filled.found() == std::string(kByTokens) + "; other by operations 1.000000");
    }
  }

  TEST_CASE("what nothing names is deleted with its operations") {
    Lifted filled;
    filled.lift("mine", kMatmul);
    filled.lift("twice", {{"*", 1}});
    REQUIRE(filled.archive().set_ref("slow@main", "slow").has_value());
    const Result<GarbageReport> gone = filled.archive().collect_garbage({.days = 0}, true);
    REQUIRE_MESSAGE(gone.has_value(), to_text(gone.error()));
    CHECK(gone->ids == std::vector<std::string>{"mine"});
    auto file = filled.folder().connection();
    auto rows = file->prepare("SELECT operations FROM operation_sets");
    CHECK(texts(*rows).value() == std::vector<std::string>{R"({"*":1})"});
    CHECK(filled.archive().check()->misindexed == 0);
  }

  TEST_CASE("an archive of the seventh version has room for operations when it is opened") {
    Lifted filled;
    filled.close();
    filled.execute(
        "DROP INDEX indexed_kernels_by_operations; DROP TABLE lifted_kernels; "
        "ALTER TABLE indexed_kernels DROP COLUMN operation_set; DROP TABLE operation_sets; "
        "DROP TABLE operation_bands; DROP INDEX problems_by_hash; DROP INDEX kernels_by_hash; "
        "PRAGMA user_version = 7");
    filled.reopen();
    CHECK(filled.found() == kByTokens);
    CHECK(filled.archive().check()->misindexed == 0);
    filled.lift("mine", kMatmul);
    filled.lift("other", kMatmul);
    CHECK(filled.found() == std::string(kByTokens) + "; other by operations 1.000000");
  }
}

}  // namespace ws::test
