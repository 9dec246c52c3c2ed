// `warpsmith cache`: on a folder with one sound entry, one damaged and one unfinished.
#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/compile/store_file.h"
#include "tests/support/child.h"

namespace ws {
namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string errors;
};

Ended run_cache(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"cache"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child("warpsmith", words);
  Ended ended;
  ended.out = child.rest();
  ended.errors = child.errors();
  ended.status = child.wait(std::chrono::seconds(10)).value_or(-1);
  return ended;
}

void fill(const std::filesystem::path& cache) {
  for (const bool sound : {true, false}) {
    const std::string key = sha256_hex(sound ? "a" : "b");
    REQUIRE(write_entry(entry_path(cache, key),
                        sound ? encode_entry(key, CompileOutcome{}) : std::string("nonsense"))
                .has_value());
  }
}

}  // namespace

TEST_SUITE("cache_command") {
  TEST_CASE("an empty cache has nothing in it, and need not exist") {
    const TestFolder data;
    const Ended ended = run_cache({"stats", "--data", data.path().string()});
    CHECK(ended.status == 0);
    CHECK(ended.out == data.path().string() + "/cache: 0 entries in the cache, 0 B\n");
  }

  TEST_CASE("verify finds what is damaged, stats counts it, clear deletes it") {
    const TestFolder data;
    const std::string folder = data.path().string();
    fill(data.path() / "cache");
    const std::string sound = std::to_string(
        std::filesystem::file_size(entry_path(data.path() / "cache", sha256_hex("a"))));
    const std::string both = std::to_string(std::stoi(sound) + 8);
    const Ended verify = run_cache({"verify", "--json", "--data", folder});
    CHECK(verify.status == 1);
    CHECK(verify.out == R"({"action":"verify","folder":")" + folder +
                            R"(/cache","entries":1,"bytes":)" + both + R"(,"damaged":1})" + "\n");
    const Ended stats = run_cache({"stats", "--data", folder});
    CHECK(stats.status == 0);
    CHECK(stats.out == folder + "/cache: 1 entry in the cache, " + both +
                           " B\n1 damaged entry is put aside; `warpsmith cache clear` deletes "
                           "the whole cache\n");
    const Ended clear = run_cache({"clear", "--data", folder});
    CHECK(clear.status == 0);
    CHECK(clear.out ==
          folder + "/cache: 1 entry deleted, " + both + " B\n1 damaged entry is deleted too\n");
    const Ended again = run_cache({"verify", "--data", folder});
    CHECK(again.status == 0);
    CHECK(again.out == folder + "/cache: 0 entries read, and sound, 0 B\n");
  }

  TEST_CASE("an action that there is not is refused with those that there are") {
    const Ended ended = run_cache({"empty"});
    CHECK(ended.status == 2);
    CHECK(ended.errors.starts_with("ACTION: empty not in {stats,clear,verify}"));
  }
}

}  // namespace ws
