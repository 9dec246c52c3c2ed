#include "runtime/base/private_files.h"

#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"

namespace ws {
namespace {

int mode_of(const std::filesystem::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 07777U) : -1;
}

}  // namespace

TEST_SUITE("base.private_files") {
  TEST_CASE("a folder is made for its owner alone, with those around it, whatever the umask is") {
    const TestFolder folder;
    for (const mode_t mask : {0000, 0022, 0777}) {
      const auto made = folder.path() / std::to_string(mask) / "b" / "c";
      const mode_t before = ::umask(mask);
      const std::error_code error = make_private_folder(made);
      ::umask(before);
      CHECK_FALSE(error);
      CHECK(mode_of(made) == 0700);
      CHECK(mode_of(made.parent_path()) == 0700);
      CHECK(mode_of(made.parent_path().parent_path()) == 0700);
    }
  }

  TEST_CASE("an existing folder stays as it is, and one that cannot be made is an error") {
    const TestFolder folder;
    ::chmod(folder.path().c_str(), 0755);
    CHECK_FALSE(make_private_folder(folder.path()));
    CHECK_FALSE(make_private_folder(folder.path() / ""));
    CHECK(mode_of(folder.path()) == 0755);
    std::ofstream(folder.path() / "file") << "x";
    CHECK(make_private_folder(folder.path() / "file") == std::errc::not_a_directory);
    CHECK(make_private_folder(folder.path() / "file" / "below") == std::errc::not_a_directory);
  }

  TEST_CASE("others lose what they may do, the owner keeps it, and a folder for all stays one") {
    const TestFolder folder;
    std::ofstream(folder.path() / "file") << "x";
    ::chmod((folder.path() / "file").c_str(), 0654);
    keep_private(folder.path() / "file");
    CHECK(mode_of(folder.path() / "file") == 0600);
    ::chmod(folder.path().c_str(), 01777);
    keep_private(folder.path());
    CHECK(mode_of(folder.path()) == 01777);
    ::chmod(folder.path().c_str(), 0755);
    keep_private(folder.path());
    CHECK(mode_of(folder.path()) == 0700);
    keep_private(folder.path() / "none");
  }
}

}  // namespace ws
