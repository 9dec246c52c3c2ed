// Tests of the texts about an archive: each compares the whole answer.
#include "server/look/look.h"

#include <regex>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"

namespace ws::server {
namespace {

/// An archive with a line of three kernels, and one that failed; `dates` are cut out of its
/// answers.
struct LookBench {
  LookBench()
      : archive(test::open_archive(folder)) {
    test::put_problem(*archive, "prb_sum", "sum", 64);
    put("krn_a", "naive", "", "one\ntwo\n");
    put("krn_b", "tiled", "krn_a", "one\nthree\n");
    put("krn_c", "wrong\x1b[2J", "krn_a", "one\n");
    test::judge(*archive, "krn_a", "validate", Verdict::kPassed);
    test::judge(*archive, "krn_a", "benchmark", Verdict::kSlower, 0.5);
    test::judge(*archive, "krn_b", "validate", Verdict::kPassed);
    test::judge(*archive, "krn_b", "benchmark", Verdict::kFaster, 2);
    test::judge(*archive, "krn_c", "validate", Verdict::kIncorrect);
    auto opened = ArchiveListing::open(folder.path());
    REQUIRE(opened.has_value());
    listing = *std::move(opened);
  }

  void put(const std::string& id, const std::string& name, const std::string& parent,
           const std::string& source) const {
    const nlohmann::json form = {{"language", "cuda"}, {"source", source}};
    REQUIRE(archive->put_kernel({id, name, "prb_sum", parent, form.dump(), {}}).has_value());
  }

  [[nodiscard]] Look look(Terminal terminal = {}) const { return {*listing, terminal}; }

  TestFolder folder;
  std::unique_ptr<Archive> archive;
  std::unique_ptr<ArchiveListing> listing;
};

std::string text_of(const Result<std::string>& answer) {
  REQUIRE_MESSAGE(answer.has_value(), to_text(answer.error()));
  return std::regex_replace(*answer, std::regex("[0-9]{4}-[0-9-]+T[0-9:.]+Z"), "DATE");
}

}  // namespace

TEST_SUITE("server.look") {
  TEST_CASE("the problems are listed with the fastest kernel of each device") {
    const LookBench bench;
    CHECK(text_of(bench.look().log({})) ==
          "prb_sum                               sum                     DATE 3 kernels\n"
          "    cpu:0       krn_b                                 2.00x\n");
  }

  TEST_CASE("a problem's kernels are listed with verdict, speed and bar, the newest first") {
    const LookBench bench;
    const std::string text = text_of(bench.look().log({.name = "prb_sum"}));
    CHECK(text ==
          "krn_c                                 wrong [2J               DATE\n"
          "    cpu:0       incorrect       \n"
          "krn_b                                 tiled                   DATE\n"
          "    cpu:0       passed          2.00x                     ########################\n"
          "krn_a                                 naive                   DATE\n"
          "    cpu:0       passed          0.50x                     ######\n");
    CHECK(text_of(bench.look().log({.name = "prb_sum", .most = 1})) ==
          "krn_c                                 wrong [2J               DATE\n"
          "    cpu:0       incorrect       \n"
          "older ones are left out: --most 2\n");
  }

  TEST_CASE("a kernel's relatives stand below what they were made from") {
    const LookBench bench;
    CHECK(text_of(bench.look({.unicode = true}).log({.name = "krn_b"})) ==
          "\u25cb krn_a  naive  DATE\n"
          "    cpu:0       passed          0.50x                     "
          "\u2588\u2588\u2588\u2588\u2588\u2588\n"
          "  \u25cf krn_b  tiled  DATE\n"
          "      cpu:0       passed          2.00x                     " +
              bar({.unicode = true}, 1, 24) +
              "\n"
              "  \u25cb krn_c  wrong [2J  DATE\n"
              "      cpu:0       incorrect       \n");
  }

  TEST_CASE("a kernel is shown with how it stands, and its source") {
    const LookBench bench;
    CHECK(text_of(bench.look().show("krn_b")) ==
          "krn_b  tiled\n"
          "problem  prb_sum  sum\n"
          "parent   krn_a\n"
          "stored   DATE\n"
          "cpu:0\n"
          "  krn_b                                 passed          2.00x                     "
          "########################\n"
          "\n"
          "one\n"
          "three\n");
  }

  TEST_CASE("a difference is from the parent, or between two kernels") {
    const LookBench bench;
    const std::string changed = "@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    CHECK(text_of(bench.look().diff({"krn_b"})) ==
          "--- krn_a  naive\n+++ krn_b  tiled\n" + changed);
    CHECK(text_of(bench.look({.colours = true}).diff({"krn_a", "krn_b"})) ==
          "\x1b[1m--- krn_a\x1b[0m  naive\n\x1b[1m+++ krn_b\x1b[0m  tiled\n"
          "\x1b[2m@@ -1,2 +1,2 @@\x1b[0m\n one\n\x1b[31m-two\x1b[0m\n\x1b[32m+three\x1b[0m\n");
    CHECK(text_of(bench.look().diff({"krn_a", "krn_a"})) ==
          "--- krn_a  naive\n+++ krn_a  naive\nthe sources are equal\n");
    CHECK(to_text(bench.look().diff({"krn_a"}).error()) ==
          "invalid_argument: krn_a has no parent to compare it with; name two kernels: warpsmith "
          "diff FROM TO");
  }

  TEST_CASE("kernels are compared on each device, the fastest first") {
    const LookBench bench;
    CHECK(text_of(bench.look().compare({"krn_c", "krn_a", "krn_b"})) ==
          "krn_c  wrong [2J\n"
          "krn_a  naive\n"
          "krn_b  tiled\n"
          "\n"
          "cpu:0\n"
          "  krn_b                                 passed          2.00x                     "
          "########################\n"
          "  krn_a                                 passed          0.50x                     "
          "######\n"
          "  krn_c                                 incorrect       \n");
  }

  TEST_CASE("as JSON the answers have the forms of the page's data") {
    const LookBench bench;
    CHECK(bench.look().log_json({})->at("rows")[0]["id"] == "prb_sum");
    CHECK(bench.look().log_json({.name = "prb_sum"})->at("rows").size() == 3);
    CHECK(bench.look().log_json({.name = "krn_a"})->at("members").size() == 3);
    CHECK(bench.look().show_json("krn_b")->at("source") == "one\nthree\n");
    CHECK(bench.look().diff_json({"krn_b"})->at("added") == 1);
    CHECK(bench.look().compare_json({"krn_a", "krn_b"})->at("rows")[1]["standings"][0]["passed"] ==
          true);
  }

  TEST_CASE("a name that is none is refused") {
    const LookBench bench;
    CHECK(to_text(bench.look().show("krn_0").error()) ==
          "not_found: no kernel `krn_0`; ids come from compile_kernel");
    CHECK(to_text(bench.look().log({.name = "prb_0"}).error()) ==
          "not_found: no problem `prb_0`; ids come from compile_kernel");
    CHECK(to_text(bench.look().compare({"krn_a", "none@main"}).error()) ==
          "not_found: no ref `none@main`; a ref is made by compile_kernel with `ref`");
  }
}

}  // namespace ws::server
