// Tests that the work which writes leave is done in the background.
#include "runtime/archive/store/upkeep.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"

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

  TEST_CASE("the log is written back at every 24000 pages, and then merged") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    const std::filesystem::path file = folder.path() / "archive.db";
    const auto before = std::filesystem::file_size(file);
    put_problem(*archive, "prb_mm", "matmul", 8);
    for (int i = 0; i < 20; ++i) {
      put_kernel(*archive, "k" + std::to_string(i), "prb_mm", kTiled);
    }
    std::atomic<int> merged = 0;
    Upkeep upkeep(
        [&]() -> Result<bool> {
          ++merged;
          merged.notify_one();
          return false;
        },
        connect(folder));
    upkeep.note_log(23999);
    upkeep.note_write();
    merged.wait(0);
    CHECK(std::filesystem::file_size(file) == before);
    upkeep.note_log(24000);
    upkeep.note_write();
    merged.wait(1);
    CHECK(std::filesystem::file_size(file) > before);
    // Nothing was added to the log since.
    const auto after = std::filesystem::file_size(file);
    put_kernel(*archive, "large", "prb_mm", std::string(400000, 'x'));
    upkeep.note_log(24000);
    upkeep.note_write();
    merged.wait(2);
    CHECK(std::filesystem::file_size(file) == after);
    // There is less in it, so it started over.
    upkeep.note_log(60);
    upkeep.note_write();
    merged.wait(3);
    upkeep.note_log(24060);
    upkeep.note_write();
    merged.wait(4);
    CHECK(std::filesystem::file_size(file) > after);
  }

  TEST_CASE("a commit writes the log back where nobody did before it was too long") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    Connection file = connect(folder);
    file.write_back_at(10000);
    const auto size = [&] { return std::filesystem::file_size(folder.path() / "archive.db"); };
    const auto before = size();
    const auto put = [&](int number, int bytes) {
      REQUIRE(file.execute("INSERT INTO settings VALUES('" + std::to_string(number) + "', '" +
                           std::string(static_cast<std::size_t>(bytes), 'x') + "')")
                  .has_value());
    };
    put(1, 1);
    const int pages = file.log_pages();
    CHECK(pages > 0);
    file.write_back_at(pages + 10);
    put(2, 1);
    CHECK(file.log_pages() > pages);
    CHECK(size() == before);
    put(3, 100000);
    CHECK(size() > before);
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
