// Tests of the pages of the archive.
#include "runtime/archive/search/listing.h"

#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/kernel_family.h"
#include "runtime/archive/search/test_search.h"

namespace ws::test {
namespace {

std::unique_ptr<ArchiveListing> listing_of(const Filled& filled) {
  auto listing = ArchiveListing::open(filled.folder().place());
  REQUIRE_MESSAGE(listing.has_value(), to_text(listing.error()));
  return *std::move(listing);
}

std::string ids_of(const std::vector<ListedKernel>& kernels) {
  std::string ids;
  for (const ListedKernel& kernel : kernels) {
    ids += (ids.empty() ? "" : " ") + kernel.row.id;
  }
  return ids;
}

/// All pages of two rows, parted by " | ".
template <typename Fetch>
std::string all_pages(const Fetch& fetch) {
  std::string text;
  std::string mark;
  do {
    const auto page = fetch(mark);
    REQUIRE_MESSAGE(page.has_value(), to_text(page.error()));
    text += (text.empty() ? "" : " | ") + ids_of(page->rows);
    mark = page->next;
  } while (!mark.empty());
  return text;
}

/// A kernel that passed, timed against the reference where it has a ratio.
void put_passed(const Filled& filled, const std::string& id, double ratio) {
  filled.put(id, "prb_mm", id);
  judge(filled.archive(), id, "validate", Verdict::kPassed);
  if (ratio > 0) {
    judge(filled.archive(), id, "benchmark", Verdict::kFaster, ratio);
  }
}

void put_child(const Filled& filled, const std::string& id, const std::string& parent) {
  REQUIRE(filled.archive()
              .put_kernel({id, "k", "prb_mm", parent, R"({"source":")" + id + R"("})", {}})
              .has_value());
}

std::string family_text(const Filled& filled, const std::string& id, std::size_t most) {
  const auto family = listing_of(filled)->family(id, most);
  REQUIRE_MESSAGE(family.has_value(), to_text(family.error()));
  std::string text;
  for (const FamilyMember& member : family->members) {
    text += member.kernel.row.id + " ";
  }
  return text + (family->cut ? "and more" : "");
}

}  // namespace

TEST_SUITE("archive.listing") {
  TEST_CASE("problems come newest first, each with its fastest kernel on each device") {
    const Filled filled;
    const auto listing = listing_of(filled);
    const auto first = listing->problems({}, 2);
    REQUIRE(first.has_value());
    REQUIRE(first->rows.size() == 2);
    CHECK(first->rows[0].row.id == "prb_twice");
    CHECK(first->rows[0].kernels == 1);
    CHECK(first->rows[0].fastest.empty());
    CHECK(first->rows[1].row.id == "prb_mm2");
    CHECK(ids_of(first->rows[1].fastest) == "near");
    CHECK(first->rows[1].fastest[0].standings[0].device == "GPU-1");
    const auto second = listing->problems(first->next, 2);
    REQUIRE(second.has_value());
    REQUIRE(second->rows.size() == 1);
    CHECK(second->next.empty());
    CHECK(ids_of(second->rows[0].fastest) == "fast");
    CHECK(second->rows[0].fastest[0].standings[0].speed->total == 3.0);
  }

  TEST_CASE("kernels that passed come by speed-up, equal ones and untimed ones by age") {
    const Filled filled;
    put_passed(filled, "equal", 3);
    put_passed(filled, "untimed", 0);
    put_passed(filled, "newer", 0);
    const auto listing = listing_of(filled);
    CHECK(all_pages([&](const std::string& mark) {
            return listing->judged("prb_mm", true, "cpu:0", mark, 2);
          }) == "equal fast | slow newer | untimed");
    CHECK(all_pages([&](const std::string& mark) {
            return listing->judged("prb_mm", true, "GPU-1", mark, 2);
          }) == "");
    CHECK(all_pages([&](const std::string& mark) { return listing->newest("prb_mm", mark, 2); }) ==
          "newer untimed | equal fast | slow");
  }

  TEST_CASE("a kernel timed against another one is as fast as both ratios say") {
    const Filled filled;
    put_passed(filled, "derived", 0);
    time_against(filled.archive(), "derived", 2, "fast");
    put_passed(filled, "lost", 0);
    time_against(filled.archive(), "lost", 9, "near");
    const auto fastest = listing_of(filled)->fastest("prb_mm");
    REQUIRE(fastest.has_value());
    REQUIRE(ids_of(*fastest) == "derived");
    CHECK(fastest->front().standings[0].speed->total == 6.0);
    const auto standings = listing_of(filled)->standings("lost");
    REQUIRE(standings.has_value());
    CHECK(standings->front().speed->least == 9.0);
    CHECK_FALSE(standings->front().speed->total.has_value());
  }

  TEST_CASE("baselines that lead back to a kernel give no speed-up") {
    const Filled filled;
    put_passed(filled, "one", 0);
    put_passed(filled, "other", 0);
    time_against(filled.archive(), "one", 2, "other");
    time_against(filled.archive(), "other", 2, "one");
    const auto standings = listing_of(filled)->standings("one");
    REQUIRE(standings.has_value());
    CHECK_FALSE(standings->front().speed->total.has_value());
  }

  TEST_CASE("kernels are found by words, those that failed too") {
    const Filled filled;
    const auto listing = listing_of(filled);
    const auto found = listing->search("slowpath", 5);
    REQUIRE(found.has_value());
    REQUIRE(ids_of(*found) == "slow");
    CHECK(found->front().standings[0].speed->total == 0.5);
    CHECK(ids_of(listing->search("twice", 5).value()) == "twice");
    CHECK(ids_of(listing->search("nothing", 5).value()) == "");
    CHECK(ids_of(listing->search("\"; --", 5).value()) == "");
  }

  TEST_CASE("the newest kernel that failed says why") {
    const Filled filled;
    EvidenceRow row;
    row.kernel_id = "slow";
    row.device = "GPU-2";
    row.kind = "validate";
    row.verdict = Verdict::kOutOfBounds;
    row.json = R"({"output":{"message":"reads x[9]\u001b[31m"}})";
    REQUIRE(filled.archive().add_evidence(row).has_value());
    const auto rejected = listing_of(filled)->rejected("prb_mm");
    REQUIRE(rejected.has_value());
    REQUIRE(ids_of(*rejected) == "slow");
    CHECK(rejected->front().standings[0].message == "reads x[9] [31m");
    CHECK(listing_of(filled)->devices("prb_mm").value() ==
          std::vector<std::string>{"GPU-2", "cpu:0"});
  }

  TEST_CASE("a record that is no JSON says nothing") {
    const Filled filled;
    EvidenceRow row;
    row.kernel_id = "slow";
    row.device = "GPU-2";
    row.kind = "validate";
    row.verdict = Verdict::kIncorrect;
    row.json = "[1";
    REQUIRE(filled.archive().add_evidence(row).has_value());
    const auto rejected = listing_of(filled)->rejected("prb_mm");
    REQUIRE(rejected.has_value());
    CHECK(rejected->front().standings[0].message.empty());
  }

  TEST_CASE("the evidence of a kernel comes newest first") {
    const Filled filled;
    const auto listing = listing_of(filled);
    const auto first = listing->evidence_of("fast", {}, 1);
    REQUIRE(first.has_value());
    REQUIRE(first->rows.size() == 1);
    CHECK(first->rows[0].kind == "benchmark");
    const auto second = listing->evidence_of("fast", first->next, 1);
    REQUIRE(second.has_value());
    CHECK(second->rows.at(0).kind == "validate");
    CHECK(second->next.empty());
  }

  TEST_CASE("a family is the line of a kernel, what came of it, and what else came of the line") {
    const Filled filled;
    put_child(filled, "child", "fast");
    put_child(filled, "uncle", "fast");
    put_child(filled, "grandchild", "child");
    put_child(filled, "last", "grandchild");
    put_child(filled, "cousin", "uncle");
    CHECK(family_text(filled, "grandchild", 10) == "fast child grandchild last uncle ");
    CHECK(family_text(filled, "fast", 10) == "fast uncle child cousin grandchild last ");
    CHECK(family_text(filled, "fast", 3) == "fast uncle child and more");
    CHECK(family_text(filled, "last", 4) == "grandchild last and more");
    CHECK(to_text(listing_of(filled)->family("krn_x", 5).error()) ==
          "not_found: no kernel `krn_x`; ids come from compile_kernel");
  }

  TEST_CASE("a mark that no page gave is refused") {
    const Filled filled;
    const auto listing = listing_of(filled);
    for (const char* mark : {"x", "1;", ";1", "1;2;3", "1.5", "nan;x", "99999999999999999999"}) {
      CAPTURE(std::string(mark));
      const auto page = listing->problems(mark, 2);
      REQUIRE_FALSE(page.has_value());
      CHECK(to_text(page.error()) == "invalid_argument: no page ends at the mark `" +
                                         std::string(mark) +
                                         "`; use `next` of the page before, or none for the first "
                                         "page");
    }
  }
}

}  // namespace ws::test
