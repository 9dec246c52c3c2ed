#include "server/access/private_file.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"

namespace ws::server {

TEST_SUITE("access.private_file") {
  TEST_CASE("one at a time changes a file, and the next one waits for it or is told") {
    const TestFolder folder;
    const std::filesystem::path file = folder.path() / "principals.toml";
    std::optional<PrivateFileLock> first;
    {
      auto taken = PrivateFileLock::take(file, std::chrono::milliseconds(0));
      REQUIRE_MESSAGE(taken.has_value(), to_text(taken.error()));
      first.emplace(*std::move(taken));
    }
    const auto second = PrivateFileLock::take(file, std::chrono::milliseconds(0));
    REQUIRE_FALSE(second.has_value());
    CHECK(to_text(second.error()) ==
          "busy: another command changes " + file.string() + "; try again");
    first.reset();
    CHECK(PrivateFileLock::take(file, std::chrono::milliseconds(0)).has_value());
    CHECK(std::filesystem::is_empty(folder.path()));
    const auto nowhere =
        PrivateFileLock::take(folder.path() / "none" / "file", std::chrono::milliseconds(0));
    REQUIRE_FALSE(nowhere.has_value());
    CHECK(to_text(nowhere.error()) == "io: cannot open the folder of " +
                                          (folder.path() / "none" / "file").string() +
                                          " (open: No such file or directory)");
  }

  TEST_CASE("a link to a file stays one, and what it leads to is replaced") {
    const TestFolder folder;
    const std::filesystem::path file = folder.path() / "file";
    const std::filesystem::path link = folder.path() / "link";
    REQUIRE(replace_private_file(file, "old").has_value());
    std::filesystem::create_symlink(file, link);
    REQUIRE(replace_private_file(link, "new").has_value());
    CHECK(std::filesystem::is_symlink(link));
    CHECK(read_private_file(file, "file", 10).value_or("") == "new");
    // A link leads to the new one at once.
    REQUIRE(replace_private_file(file, "newer").has_value());
    CHECK(read_private_file(link, "file", 10).value_or("") == "newer");
  }
}

}  // namespace ws::server
