#include "runtime/compile/folder_entries.h"

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/hash.h"
#include "runtime/compile/store_folder.h"

namespace ws {

TEST_SUITE("compile.folder_entries") {
  TEST_CASE("an entry is found by all who see the folder, and only by its key") {
    const TestFolder folder;
    FolderEntries one(folder.path());
    REQUIRE(one.put(sha256_hex("a"), "kernel").has_value());
    FolderEntries two(folder.path());
    CHECK(two.find(sha256_hex("a")).value() == "kernel");
    CHECK_FALSE(two.find(sha256_hex("b")).value().has_value());
  }

  TEST_CASE("the folder does not grow without end") {
    const TestFolder folder;
    FolderEntries entries(folder.path(), 3000);
    for (int i = 0; i < 16; ++i) {
      REQUIRE(entries.put(sha256_hex(std::to_string(i)), std::string(1001, 'k')));
    }
    CHECK(store_usage(folder.path()).value().entries == 2);
  }
}

}  // namespace ws
