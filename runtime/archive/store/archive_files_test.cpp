// The archive's files: who may read them, and damage in them.
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/instance.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

constexpr const char* kNeedle = "needle-of-a-key";

int mode_of(const std::filesystem::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 0777U) : -1;
}

void fill(Archive& archive) {
  REQUIRE(archive.put_problem({"p", "p", "{}", {}}).has_value());
  REQUIRE(archive.put_kernel({"k", "k", "p", {}, "{}", {}}).has_value());
  REQUIRE(archive
              .add_evidence({.id = {},
                             .kernel_id = "k",
                             .problem_id = "p",
                             .device = "d",
                             .kind = "validate",
                             .key = kNeedle,
                             .verdict = Verdict::kPassed,
                             .json = "{}",
                             .created_at = {}})
              .has_value());
}

std::unique_ptr<Archive> open_archive(const std::filesystem::path& folder) {
  Result<std::unique_ptr<Archive>> archive = Archive::open(folder);
  REQUIRE(archive.has_value());
  return *std::move(archive);
}

/// Changes a letter of the first place that the text has in the file.
void damage(const std::filesystem::path& file, const std::string& text) {
  std::string bytes = read_file(file).value();
  const std::size_t at = bytes.find(text);
  REQUIRE(at != std::string::npos);
  REQUIRE(bytes.find(text, at + 1) != std::string::npos);  // In the index and in the table.
  bytes[at] = 'N';
  REQUIRE(write_file(file, bytes).has_value());
}

}  // namespace

TEST_SUITE("archive.files") {
  TEST_CASE("a new archive is its owner's alone, whatever the umask is") {
    const TestFolder folder;
    const auto data = folder.path() / "data";
    const mode_t before = ::umask(0);
    {
      const auto archive = open_archive(data);
      const auto instance = Instance::begin(data);
      fill(*archive);
      CHECK(mode_of(data) == 0700);
      for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
        CAPTURE(entry.path().string());
        CHECK(mode_of(entry.path()) == (entry.is_directory() ? 0700 : 0600));
      }
      CHECK(mode_of(data / "archive.db-wal") == 0600);
      CHECK(mode_of(data / "archive.db-shm") == 0600);
    }
    ::umask(before);
  }

  TEST_CASE("an archive that others could read is closed to them when it is opened") {
    const TestFolder folder;
    const auto data = folder.path() / "data";
    const auto first = open_archive(data);
    fill(*first);
    for (const char* name : {"archive.db", "archive.db-wal", "archive.db-shm"}) {
      ::chmod((data / name).c_str(), 0644);
    }
    ::chmod(data.c_str(), 0755);
    const auto second = open_archive(data);
    CHECK(mode_of(data) == 0700);
    for (const char* name : {"archive.db", "archive.db-wal", "archive.db-shm"}) {
      CHECK(mode_of(data / name) == 0600);
    }
  }

  TEST_CASE("a folder with other things in it keeps its permissions, and the file is private") {
    const TestFolder folder;
    std::ofstream(folder.path() / "notes.txt") << "mine";
    ::chmod(folder.path().c_str(), 0755);
    const auto archive = open_archive(folder.path());
    CHECK(mode_of(folder.path()) == 0755);
    CHECK(mode_of(folder.path() / "archive.db") == 0600);
  }

  TEST_CASE("damage of the file that no row shows is found") {
    const TestFolder folder;
    fill(*open_archive(folder.path()));
    CHECK(damage_of_archive(folder.path())->empty());
    damage(folder.path() / "archive.db", kNeedle);
    const auto found = damage_of_archive(folder.path());
    REQUIRE(found.has_value());
    CHECK(*found == std::vector<std::string>{"row 1 missing from index evidence_by_kernel"});
  }
}

}  // namespace ws
