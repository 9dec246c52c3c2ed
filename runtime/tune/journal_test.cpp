// Journals: what is written is read again, whatever happened to the file in between.
#include "runtime/tune/journal.h"

#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/viewer.h"

namespace ws::tune {
namespace {

const JournalKey kKey{"krn_a", "cpu:0", "clang", "[]", {{"a", {1, 2, 4}}, {"b", {8, 16}}}};

Evaluation timed(Point point, double us) {
  Evaluation evaluation;
  evaluation.point = std::move(point);
  evaluation.us = us;
  evaluation.samples = {12, 12.5, 13};
  evaluation.build_s = 0.25;
  evaluation.verified = true;
  evaluation.t_s = 1.5;
  evaluation.features = {-1, 3.5};
  return evaluation;
}

Evaluation failed(Point point) {
  Evaluation evaluation;
  evaluation.point = std::move(point);
  evaluation.fate = Fate::kFailed;
  evaluation.verdict = Verdict::kIncorrect;
  evaluation.message = "output `y`: 3 elements differ";
  return evaluation;
}

Journal opened(const std::filesystem::path& folder, bool fresh = false) {
  auto journal = Journal::open(folder, kKey, fresh);
  REQUIRE_MESSAGE(journal.has_value(), to_text(journal.error()));
  return *std::move(journal);
}

ViewerPtr one_named(const char* owner, bool sees_all, bool shares) {
  return std::make_shared<const Viewer>(
      Viewer{.owner = owner, .sees_all = sees_all, .shares = shares});
}

void append(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

}  // namespace

TEST_SUITE("tune.journal") {
  TEST_CASE("what was added is there when it is opened again") {
    const TestFolder folder;
    {
      Journal journal = opened(folder.path());
      CHECK(journal.take().empty());
      REQUIRE(journal.add(timed({2, 1}, 12.5)).has_value());
      REQUIRE(journal.add(failed({0, 0})).has_value());
    }
    const std::vector<Evaluation> known = opened(folder.path()).take();
    REQUIRE(known.size() == 2);
    CHECK(known[0].point == Point{2, 1});
    CHECK(known[0].us == 12.5);
    CHECK(known[0].samples == std::vector<double>{12, 12.5, 13});
    CHECK(known[0].build_s == 0.25);
    CHECK(known[0].at.ends_with("Z"));
    CHECK(known[0].verified);
    CHECK(known[0].features == Features{-1, 3.5});
    CHECK(known[1].fate == Fate::kFailed);
    CHECK(known[1].verdict == Verdict::kIncorrect);
    CHECK(known[1].message == "output `y`: 3 elements differ");
    CHECK(known[1].us == kUnusable);
    CHECK(opened(folder.path(), true).take().empty());
    CHECK(opened(folder.path()).take().empty());
  }

  TEST_CASE("a line that was cut off by a kill, or is damaged, costs no other") {
    const TestFolder folder;
    std::filesystem::path path;
    {
      Journal journal = opened(folder.path());
      path = journal.path();
      REQUIRE(journal.add(timed({0, 0}, 1)).has_value());
    }
    append(path,
           "nonsense\n{\"point\":[3,8],\"fate\":\"good\",\"us\":1}\n"
           "{\"point\":\"x\",\"fate\":\"good\"}\n{\"point\":[1,8],\"fate\":7}\n"
           "{\"point\":[1,8],\"fate\":\"failed\",\"verdict\":\"of another version\"}\n"
           "{\"point\":[1,8],\"fate\":\"good\",\"us\":0,\"samples_us\":[0]}\n"
           "{\"point\":[1,8],\"fate\":\"good\",\"us\":5}\n{\"point\":[4,8],\"fa");
    {
      Journal journal = opened(folder.path());
      CHECK(journal.take().size() == 1);
      REQUIRE(journal.add(timed({1, 1}, 2)).has_value());
    }
    const std::vector<Evaluation> known = opened(folder.path()).take();
    REQUIRE(known.size() == 2);
    CHECK(known[1].point == Point{1, 1});
  }

  TEST_CASE("a file whose first line was never finished begins again") {
    const TestFolder folder;
    const std::filesystem::path path = opened(folder.path()).path();
    std::ofstream(path, std::ios::trunc) << "{\"warpsmith_tu";
    {
      Journal journal = opened(folder.path());
      REQUIRE(journal.add(timed({1, 1}, 2)).has_value());
    }
    CHECK(opened(folder.path()).take().size() == 1);
  }

  TEST_CASE("another device, compiler, workload or list of values has a journal of its own") {
    const TestFolder folder;
    REQUIRE(opened(folder.path()).add(timed({0, 0}, 1)).has_value());
    std::vector<JournalKey> others(4, kKey);
    others[0].device = "cuda:0";
    others[1].compiler = "clang 20";
    others[2].workloads = "[{}]";
    others[3].axes[0].values = {1, 2};
    for (const JournalKey& key : others) {
      auto journal = Journal::open(folder.path(), key, false);
      REQUIRE(journal.has_value());
      CHECK(journal->take().empty());
    }
    const auto files = read_journals(folder.path(), "krn_a");
    REQUIRE(files.has_value());
    CHECK(files->size() == 5);
    CHECK(read_journals(folder.path(), "krn_b")->empty());
    CHECK(read_journals(folder.path() / "none", "krn_a")->empty());
  }

  TEST_CASE("trials of a principal that does not share are no other's") {
    const TestFolder folder;
    const auto seen = [&folder] { return read_journals(folder.path(), "krn_a")->size(); };
    {
      const ViewerScope alice(one_named("alice", false, false));
      REQUIRE(opened(folder.path()).add(timed({0, 0}, 1)).has_value());
      CHECK(opened(folder.path()).take().size() == 1);
      CHECK(seen() == 1);
    }
    {
      const ViewerScope bob(one_named("bob", false, false));
      CHECK(seen() == 0);
      CHECK(opened(folder.path(), true).take().empty());
      CHECK(seen() == 1);
    }
    {
      const ViewerScope carol(one_named("carol", false, true));
      CHECK(opened(folder.path()).take().empty());
      REQUIRE(opened(folder.path()).add(timed({1, 0}, 2)).has_value());
    }
    {
      const ViewerScope alice(one_named("alice", false, false));
      CHECK(opened(folder.path()).take().size() == 1);  // Bob's `fresh` removed his own only.
      CHECK(seen() == 2);
    }
    CHECK(opened(folder.path()).take().size() == 1);
    CHECK(seen() == 3);  // Here no principal is at work, and all is seen.
    const ViewerScope admin(one_named("root", true, false));
    CHECK(opened(folder.path()).take().empty());
    CHECK(seen() == 4);
  }

  TEST_CASE("a journal of a newer program is left alone") {
    const TestFolder folder;
    const std::filesystem::path path = opened(folder.path()).path();
    std::ofstream(path, std::ios::trunc) << "{\"warpsmith_tune\":2}\n";
    const auto journal = Journal::open(folder.path(), kKey, false);
    REQUIRE_FALSE(journal.has_value());
    CHECK(to_text(journal.error()) ==
          "unsupported: a newer program wrote the journal of this tuning; use `fresh`, or that "
          "program");
  }
}

}  // namespace ws::tune
