#include "runtime/archive/store/series_store.h"

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_place.h"

namespace ws {

TEST_SUITE("archive.series") {
  TEST_CASE("a series keeps every row in order, also for others that open the folder") {
    const TestPlace folder;
    const auto archive = Archive::open(folder.place());
    REQUIRE(archive.has_value());
    const auto one = SeriesStore::open(folder.place());
    const auto other = SeriesStore::open(folder.place());
    REQUIRE(one.has_value());
    REQUIRE(other.has_value());
    CHECK((*one)->rows("a").value().empty());
    CHECK((*one)->add("a", {"krn_1", 2.5}).value().size() == 1);
    CHECK((*other)->add("b", {"krn_3", 7}).value().size() == 1);
    const auto rows = (*other)->add("a", {"krn_2", -1});
    REQUIRE(rows.has_value());
    REQUIRE(rows->size() == 2);
    CHECK(rows->front().kernel_id == "krn_1");
    CHECK(rows->front().value == 2.5);
    CHECK(rows->back().kernel_id == "krn_2");
    CHECK(rows->back().value == -1);
    CHECK((*one)->rows("a").value().size() == 2);
  }
}

}  // namespace ws
