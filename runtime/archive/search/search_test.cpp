// Tests of which kernels a search finds, and in which order.
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/search/fingerprint.h"

namespace ws::test {

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
    CHECK(fast.verdict == Verdict::kPassed);
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
      judge(filled.archive(), id, "validate", Verdict::kPassed);
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
    judge(filled.archive(), "judged", "validate", Verdict::kPassed);
    judge(filled.archive(), "judged", "benchmark", Verdict::kFaster, 3);
    REQUIRE(filled.archive().put_label({"judged", "note", "quokka"}).has_value());
    for (int i = 0; i < 620; ++i) {
      const std::string id = "new" + std::to_string(i);
      filled.put(id, "prb_mm", source + " // " + id);
      if (i % 3 == 0) {
        REQUIRE(filled.archive().put_label({id, "note", "quokka"}).has_value());
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
      judge(filled.archive(), id, "validate", Verdict::kIncorrect);
    }
    CHECK(filled.by_words("tile", true).starts_with("fast slow near "));
  }
}

}  // namespace ws::test
