// What writes leave behind is done behind their backs.
#include "runtime/archive/upkeep.h"

#include <chrono>
#include <filesystem>
#include <future>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/test_search.h"

namespace ws::test {
namespace {

Connection connect(const TestFolder& folder) {
  Result<Connection> file = Connection::open((folder.path() / "archive.db").string(), false);
  REQUIRE_MESSAGE(file.has_value(), to_text(file.error()));
  return *std::move(file);
}

}  // namespace

TEST_SUITE("archive.upkeep") {
  TEST_CASE("after a write, pieces are merged until there is nothing left, or one fails") {
    for (const bool fails : {false, true}) {
      const TestFolder folder;
      std::promise<int> last;
      std::future<int> pieces = last.get_future();
      int count = 0;
      Upkeep upkeep(
          [&]() -> Result<bool> {
            if (++count < 3) {
              return true;
            }
            last.set_value(count);
            return fails ? Result<bool>(fail(ErrorCode::kBusy, "in use")) : Result<bool>(false);
          },
          connect(folder));
      upkeep.note_write();
      REQUIRE(pieces.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
      CHECK(pieces.get() == 3);
    }
  }

  TEST_CASE("the log is written back before a write has to") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    const std::filesystem::path file = folder.path() / "archive.db";
    const auto before = std::filesystem::file_size(file);
    put_problem(*archive, "prb_mm", "matmul", 8);
    for (int i = 0; i < 120; ++i) {
      put_kernel(*archive, "k" + std::to_string(i), "prb_mm", kTiled);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::filesystem::file_size(file) == before && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    CHECK(std::filesystem::file_size(file) > before);
  }

  TEST_CASE("FTS5 leaves merging to it for longer than by itself") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    Connection file = connect(folder);
    for (const char* table : {"kernel_words", "passed_words", "failed_words"}) {
      auto row =
          file.prepare("SELECT v FROM " + std::string(table) + "_config WHERE k = 'crisismerge'");
      REQUIRE(row->step() == true);
      CHECK(row->integer(0) == 256);
    }
  }
}

}  // namespace ws::test
