// What is found, what of it counts, and in which order.
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/sqlite.h"
#include "runtime/archive/test_search.h"
#include "runtime/search/fingerprint.h"
#include "runtime/search/words.h"

namespace ws::test {
namespace {

constexpr const char* kTiled =
    "__global__ void gemm(const float* a, float* c, int n) { __shared__ float tile[16][16]; "
    "int row = blockIdx.y * 16 + threadIdx.y; float sum = 0; for (int k = 0; k < n; ++k) "
    "{ tile[threadIdx.y][threadIdx.x] = a[row * n + k]; __syncthreads(); sum += tile[0][k]; } "
    "c[row] = sum; }";
constexpr const char* kTwice =
    "__global__ void twice(const int* x, int* y) { y[threadIdx.x] = 2 * __ldg(x + threadIdx.x); }";

SearchRequest of_problem(const std::string& id, bool failures = false) {
  SearchRequest request;
  request.problem_id = id;
  request.failures = failures;
  return request;
}

SearchRequest of_words(const std::string& words, bool failures = false) {
  SearchRequest request;
  request.words = words_of(words, 12);
  request.failures = failures;
  return request;
}

/// Four kernels of two operations: three passed here, one of them elsewhere, one failed.
class Filled {
 public:
  Filled()
      : archive_(open_archive(folder_)) {
    put_problem(*archive_, "prb_mm", "matmul", 1024);
    put_problem(*archive_, "prb_mm2", "matmul", 2048);
    put_problem(*archive_, "prb_twice", "twice", 1024);
    put("slow", "prb_mm", std::string(kTiled) + "void slowPath() { commonWord(); }");
    put("fast", "prb_mm", std::string("struct A { int b; }; int c = 3;") + kTiled);
    put("near", "prb_mm2", std::string("template <typename T> class P { T t[4]; };") + kTiled);
    put("twice", "prb_twice", kTwice);
    judge(*archive_, "slow", "validate", "passed");
    judge(*archive_, "slow", "benchmark", "slower", 0.5);
    judge(*archive_, "fast", "validate", "passed");
    judge(*archive_, "fast", "benchmark", "faster", 3);
    judge(*archive_, "near", "validate", "passed", 1, "key", "GPU-1");
    judge(*archive_, "twice", "validate", "incorrect");
  }

  [[nodiscard]] Archive& archive() const { return *archive_; }

  [[nodiscard]] const TestFolder& folder() const { return folder_; }

  void put(const std::string& id, const std::string& problem, const std::string& source) const {
    put_kernel(*archive_, id, problem, source);
  }

  void reopen() {
    archive_.reset();
    archive_ = open_archive(folder_);
  }

  void close() { archive_.reset(); }

  [[nodiscard]] SearchResult find(SearchRequest request) const {
    request.device = "cpu:0";
    const Result<SearchResult> result = archive_->search(request);
    REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
    return *result;
  }

  /// Ids in order, a failure with a `!`.
  [[nodiscard]] std::string ids(const SearchRequest& request) const {
    std::string text;
    for (const SearchHit& hit : find(request).hits) {
      text += (text.empty() ? "" : " ") + hit.kernel_id + (hit.passed ? "" : "!");
    }
    return text;
  }

  [[nodiscard]] std::string by_words(const std::string& words, bool failures = false) const {
    return ids(of_words(words, failures));
  }

  [[nodiscard]] std::string by_problem(const std::string& problem, bool failures = false) const {
    return ids(of_problem(problem, failures));
  }

 private:
  TestFolder folder_;
  std::unique_ptr<Archive> archive_;
};

}  // namespace

TEST_SUITE("archive.search") {
  TEST_CASE("a problem's own kernels come before a neighbour's, fast ones before slow ones") {
    const Filled filled;
    CHECK(filled.by_problem("prb_mm") == "fast slow near");
    CHECK(filled.by_problem("prb_mm2") == "fast slow near");
    CHECK(filled.by_problem("prb_twice") == "");
    const Result<SearchResult> unknown = filled.archive().search(of_problem("prb_x"));
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()) ==
          "not_found: no problem `prb_x`; ids come from compile_kernel");
  }

  TEST_CASE("a hit says how near it is, on which device it was judged and how fast it was") {
    const Filled filled;
    const SearchResult result = filled.find(of_problem("prb_mm"));
    REQUIRE(result.hits.size() == 3);
    const SearchHit& fast = result.hits[0];
    CHECK(fast.nearness == 1.0);
    CHECK(fast.ratio == 3.0);
    CHECK(fast.against == "reference");
    CHECK(fast.verdict == "passed");
    CHECK(fast.device == "cpu:0");
    CHECK(fast.at_ms > 0);
    CHECK(filled.archive().evidence(fast.evidence_id)->kind == "benchmark");
    CHECK(result.hits[2].nearness == 0.875);
    CHECK(result.hits[2].device == "GPU-1");
    CHECK_FALSE(result.hits[2].ratio.has_value());
    CHECK_FALSE(result.cut);
  }

  TEST_CASE("kernels with all words come first, then those with some") {
    const Filled filled;
    CHECK(filled.by_words("slowpath") == "slow");
    CHECK(filled.by_words("slow path commonword tile") == "slow fast near");
    CHECK(filled.by_words("TILE") == "fast slow near");
    CHECK(filled.by_words("matmul") == "fast slow near");
    CHECK(filled.by_words("nothing") == "");
  }

  TEST_CASE("words that are FTS syntax are words") {
    const Filled filled;
    for (const char* query :
         {"AND", "NOT tile", "tile OR", "\"tile", "words:tile", "tile*", "NEAR(tile, 3)", "^tile",
          "{tile", "-tile", "tile'; DROP TABLE labels"}) {
      CAPTURE(std::string(query));
      CHECK(filled.archive().search(of_words(query)).has_value());
    }
    CHECK(filled.by_words("tile*\"") == "fast slow near");
  }

  TEST_CASE("like code is found though names, numbers and comments differ") {
    const Filled filled;
    SearchRequest request;
    std::string renamed = kTiled;
    for (std::size_t at = renamed.find("tile"); at != std::string::npos;
         at = renamed.find("tile")) {
      renamed.replace(at, 4, "buf");
    }
    request.runs = token_runs("// mine\n" + renamed);
    const SearchResult result = filled.find(request);
    REQUIRE(result.hits.size() == 3);
    CHECK(*result.hits[0].common_share > 0.7);
    request.runs = token_runs("x");
    CHECK(filled.ids(request) == "");
    request.runs = token_runs(kTwice);
    CHECK(filled.ids(request) == "");
    request.failures = true;
    CHECK(filled.ids(request) == "twice!");
    request.exclude = "twice";
    CHECK(filled.ids(request) == "");
  }

  TEST_CASE("a failure is a hit only when failures are asked for, and has its place among them") {
    const Filled filled;
    CHECK(filled.by_words("int") == "fast slow near");
    CHECK(filled.by_words("int", true) == "fast slow near twice!");
    SearchRequest request = of_words("int", true);
    request.limit = 2;
    CHECK(filled.ids(request) == "fast twice!");
    CHECK(filled.by_problem("prb_twice", true) == "twice!");
  }

  TEST_CASE("near-duplicates of one problem are one hit that counts them") {
    const Filled filled;
    filled.put("copy1", "prb_mm", std::string("struct Q { int z; }; int w = 4;") + kTiled);
    filled.put("copy2", "prb_mm2", std::string("struct Q { int z; }; int w = 4;") + kTiled);
    for (const char* id : {"copy1", "copy2"}) {
      judge(filled.archive(), id, "validate", "passed");
    }
    const SearchResult result = filled.find(of_problem("prb_mm"));
    REQUIRE(result.hits.size() == 4);
    CHECK(result.hits[0].kernel_id == "fast");
    CHECK(result.hits[0].duplicates == 1);
    CHECK(result.hits[2].kernel_id == "copy2");
  }

  TEST_CASE("kernels that were never judged hide none that was") {
    const Filled filled;
    const std::string source = std::string(kTiled) + "void hiddenWord() {}";
    filled.put("judged", "prb_mm", source);
    judge(filled.archive(), "judged", "validate", "passed");
    judge(filled.archive(), "judged", "benchmark", "faster", 3);
    REQUIRE(filled.archive().put_label({"judged", "note", "quokka", {}}).has_value());
    for (int i = 0; i < 620; ++i) {
      const std::string id = "new" + std::to_string(i);
      filled.put(id, "prb_mm", source + " // " + id);
      if (i % 3 == 0) {
        REQUIRE(filled.archive().put_label({id, "note", "quokka", {}}).has_value());
      }
    }
    CHECK(filled.by_words("hiddenword") == "judged");
    CHECK(filled.by_words("quokka") == "judged");
    CHECK(filled.find(of_words("quokka")).unverified == 200);
    SearchRequest request;
    request.runs = token_runs(source);
    request.limit = 1;
    CHECK(filled.ids(request) == "judged");
  }

  TEST_CASE("code that was never judged hides no like code that was") {
    const Filled filled;
    for (int i = 0; i < 620; ++i) {  // Each with a token that no other one has.
      const std::string id = std::to_string(i);
      filled.put("new" + id, "prb_mm", std::string(kTiled) + "void f() { call" + id + "(); }");
    }
    SearchRequest request;
    request.runs = token_runs(std::string(kTiled) + "void f() { call7(); }");
    CHECK(filled.ids(request) == "fast slow near");
  }

  TEST_CASE("failures hide no kernel that passed") {
    const Filled filled;
    for (int i = 0; i < 250; ++i) {
      const std::string id = "wrong" + std::to_string(i);
      filled.put(id, "prb_twice", kTiled);
      judge(filled.archive(), id, "validate", "incorrect");
    }
    CHECK(filled.by_words("tile", true).starts_with("fast slow near "));
  }
}

TEST_SUITE("archive.standing") {
  TEST_CASE("what was never judged is counted, not shown; a claim of an import is no judgement") {
    const Filled filled;
    filled.put("new", "prb_mm", "void unjudged() {}");
    REQUIRE(filled.archive().add_claim({"evd_1", "new", R"({"verdict":"passed"})"}).has_value());
    const SearchResult result = filled.find(of_words("unjudged", true));
    CHECK(result.hits.empty());
    CHECK(result.unverified == 1);
  }

  TEST_CASE("a failure stays until the same question has a better answer") {
    const Filled filled;
    judge(filled.archive(), "fast", "validate", "incorrect", 1, "standard");
    CHECK(filled.by_words("struct") == "");
    judge(filled.archive(), "fast", "validate", "passed", 1, "quick");
    CHECK(filled.by_words("struct") == "");
    judge(filled.archive(), "fast", "validate", "passed", 1, "standard");
    CHECK(filled.by_words("struct") == "fast");
    judge(filled.archive(), "fast", "validate", "unsupported", 1, "other");
    CHECK(filled.by_words("struct") == "fast");
    judge(filled.archive(), "fast", "benchmark", "suspect");
    CHECK(filled.by_words("struct") == "");
    CHECK(filled.by_words("struct", true) == "fast!");
  }

  TEST_CASE("only another benchmark lifts a suspect one, and no ratio from before it counts") {
    const Filled filled;
    judge(filled.archive(), "fast", "benchmark", "suspect");
    judge(filled.archive(), "fast", "validate", "passed");
    judge(filled.archive(), "fast", "validate", "passed", 1, "strict");
    CHECK(filled.by_words("struct") == "");
    EvidenceRow row;
    row.kernel_id = "fast";
    row.device = "cpu:0";
    row.kind = "benchmark";
    row.verdict = "faster";
    row.json = R"({"output":{"ratio":1.5,"baseline":"slow"}})";
    REQUIRE(filled.archive().add_evidence(row).has_value());
    const SearchHit hit = filled.find(of_words("struct")).hits.at(0);
    CHECK(hit.kernel_id == "fast");
    CHECK(hit.ratio == 1.5);
    CHECK(hit.against == "slow");
  }

  TEST_CASE("a ratio against another kernel than the reference does not rank") {
    const Filled filled;
    filled.put("relative", "prb_mm", "int relative; __global__ void other(float* x) {}");
    judge(filled.archive(), "relative", "validate", "passed");
    EvidenceRow row;
    row.kernel_id = "relative";
    row.device = "cpu:0";
    row.kind = "benchmark";
    row.verdict = "faster";
    row.json = R"({"output":{"ratio":9,"baseline":"slow"}})";
    REQUIRE(filled.archive().add_evidence(row).has_value());
    CHECK(filled.by_problem("prb_mm") == "fast slow relative near");
    CHECK(filled.find(of_words("relative")).hits.at(0).ratio == 9);
  }

  TEST_CASE("a kernel that does not compile has failed, one that compiles is not judged yet") {
    const Filled filled;
    filled.put("new", "prb_mm", "void unjudged() {}");
    judge(filled.archive(), "new", "compile", "compiled");
    CHECK(filled.by_words("unjudged", true) == "");
    judge(filled.archive(), "new", "compile", "compile_error");
    CHECK(filled.by_words("unjudged", true) == "new!");
  }

  TEST_CASE("the ratio against the reference is preferred to a newer one against another kernel") {
    const Filled filled;
    EvidenceRow row;
    row.kernel_id = "slow";
    row.device = "cpu:0";
    row.kind = "benchmark";
    row.verdict = "faster";
    row.json = R"({"output":{"ratio":9,"baseline":"fast"}})";
    REQUIRE(filled.archive().add_evidence(row).has_value());
    CHECK(filled.find(of_words("slowpath")).hits.at(0).ratio == 0.5);
  }
}

TEST_SUITE("archive.labels") {
  TEST_CASE("kernels are found by notes, tags and the refs that point at them now") {
    const Filled filled;
    Archive& archive = filled.archive();
    REQUIRE(archive.put_label({"slow", "note", "Keeps the ring warm", {}}).has_value());
    REQUIRE(archive.put_label({"slow", "note", "Keeps the ring warm", {}}).has_value());
    REQUIRE(archive.put_label({"fast", "tag", "best-of-week", {}}).has_value());
    REQUIRE(archive.set_ref("champion@main", "slow").has_value());
    CHECK(filled.by_words("ring warm") == "slow");
    CHECK(filled.by_words("week best") == "fast");
    CHECK(filled.by_words("champion") == "slow");
    REQUIRE(archive.set_ref("champion@main", "fast").has_value());
    CHECK(filled.by_words("champion") == "fast");
    CHECK(archive.labels("slow")->size() == 1);
    CHECK(archive.labels("fast")->size() == 2);
    const Status unknown = archive.put_label({"none", "tag", "x", {}});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()) == "not_found: no kernel `none`; ids come from compile_kernel");
  }
}

TEST_SUITE("archive.index") {
  TEST_CASE("an archive of the first version is indexed when it is opened") {
    Filled filled;
    REQUIRE(filled.archive().set_ref("champion@main", "slow").has_value());
    filled.close();
    {
      auto file = Connection::open((filled.folder().path() / "archive.db").string(), false);
      for (const char* table :
           {"indexed_kernels", "problem_facts", "fingerprints", "claims", "fingerprint_bands",
            "kernel_words", "standings", "labels", "label_words", "pass_tries"}) {
        REQUIRE(file->execute("DROP TABLE " + std::string(table)).has_value());
      }
      REQUIRE(file->execute("PRAGMA user_version = 1").has_value());
    }
    filled.reopen();
    CHECK(filled.by_problem("prb_mm") == "fast slow near");
    CHECK(filled.by_words("slowpath") == "slow");
    CHECK(filled.by_words("champion") == "slow");
    CHECK(filled.by_problem("prb_twice", true) == "twice!");
  }

  TEST_CASE("two archives that store the same kernels at once index each of them once") {
    const TestFolder folder;
    const auto first = open_archive(folder);
    const auto second = open_archive(folder);
    put_problem(*first, "prb_mm", "matmul", 8);
    std::vector<std::thread> threads;
    for (Archive* archive : {first.get(), second.get(), first.get()}) {
      threads.emplace_back([archive] {
        for (int i = 0; i < 30; ++i) {
          const std::string id = "k" + std::to_string(i);
          CHECK(archive->put_kernel({id, "k", "prb_mm", "", R"({"source":"void sameWord();"})", ""})
                    .has_value());
          EvidenceRow row;
          row.kernel_id = id;
          row.device = "cpu:0";
          row.kind = "validate";
          row.verdict = "passed";
          row.json = "{}";
          CHECK(archive->add_evidence(row).has_value());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    auto file = Connection::open((folder.path() / "archive.db").string(), true);
    const auto count = [&](const char* table) {
      auto row = file->prepare("SELECT count(*) FROM " + std::string(table));
      REQUIRE(row->step().has_value());
      return row->integer(0);
    };
    CHECK(count("indexed_kernels") == 30);
    CHECK(count("standings") == 30);
    CHECK(count("fingerprints") == 1);
    const Result<SearchResult> found = second->search(of_words("sameword"));
    REQUIRE(found.has_value());
    REQUIRE(found->hits.size() == 1);
    CHECK(found->hits[0].duplicates == 29);
  }
}

}  // namespace ws::test
