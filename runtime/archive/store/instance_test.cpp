#include "runtime/archive/store/instance.h"

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"

namespace ws {

TEST_SUITE("archive.instance") {
  std::size_t files_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }

  TEST_CASE("an instance lives until it ends, seen by itself and by others") {
    const TestFolder folder;
    const auto own = Instance::begin(folder.path());
    REQUIRE(own.has_value());
    CHECK(own->id().size() == 16);
    CHECK(own->lives(own->id()));
    std::string other;
    {
      const auto second = Instance::begin(folder.path());
      REQUIRE(second.has_value());
      other = second->id();
      CHECK(other != own->id());
      CHECK(own->lives(other));
      CHECK(second->lives(own->id()));
      CHECK(files_in(folder.path() / "instances") == 2);
    }
    CHECK_FALSE(own->lives(other));
    CHECK(files_in(folder.path() / "instances") == 1);
  }

  TEST_CASE("a process that is killed lives no more, and the next one clears up after it") {
    const TestFolder folder;
    const auto own = Instance::begin(folder.path());
    REQUIRE(own.has_value());
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto other = Instance::begin(folder.path());
      const bool told = ::write(ends[1], other->id().data(), other->id().size()) == 16;
      ::pause();
      ::_exit(told ? 0 : 1);
    }
    std::string id(16, ' ');
    REQUIRE(::read(ends[0], id.data(), id.size()) == 16);
    CHECK(own->lives(id));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK_FALSE(own->lives(id));
    CHECK(files_in(folder.path() / "instances") == 2);
    const auto next = Instance::begin(folder.path());
    CHECK(files_in(folder.path() / "instances") == 2);
    CHECK(own->lives(own->id()));
  }

  TEST_CASE("what is no id names no file") {
    const TestFolder folder;
    const auto own = Instance::begin(folder.path());
    REQUIRE(own.has_value());
    std::ofstream(folder.path() / "instances" / "notes") << "mine";
    for (const char* id : {"", "../archive.db", "notes", "0123456789abcdef", "0123456789ABCDEF"}) {
      CAPTURE(std::string(id));
      CHECK_FALSE(own->lives(id));
    }
    REQUIRE(Instance::begin(folder.path()).has_value());
    CHECK(std::filesystem::exists(folder.path() / "instances" / "notes"));
  }

  TEST_CASE("a folder that cannot be written is an error that says what to do") {
    const TestFolder folder;
    std::ofstream(folder.path() / "instances") << "a file";
    const auto refused = Instance::begin(folder.path());
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) == "io: cannot make a file in `" +
                                          (folder.path() / "instances").string() +
                                          "` (open: Not a directory); choose another folder with "
                                          "--data DIR");
  }
}

}  // namespace ws
