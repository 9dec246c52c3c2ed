#include "runtime/base/worker_groups.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

/// A folder in the place of the system's groups: files keep what was written last.
struct FakeGroups {
  FakeGroups() {
    REQUIRE(fs::create_directories(group));
    REQUIRE(write_file(places.root / "cgroup.controllers", "cpu memory pids\n"));
    REQUIRE(write_file(group / "cgroup.procs", own + "\n"));
    REQUIRE(write_file(group / "cgroup.subtree_control", ""));
    be_in("/system.slice/warpsmith.service");
  }

  void be_in(const std::string& path) const {
    REQUIRE(write_file(places.membership, "1:cpu:/\n0::" + path + "\n"));
  }

  static std::string text(const fs::path& file) { return read_file(file).value_or("none"); }

  const TestFolder folder;
  const GroupPlaces places = {.root = folder.path() / "groups",
                              .membership = folder.path() / "membership",
                              .machine_bytes = 16000};
  const fs::path group = places.root / "system.slice/warpsmith.service";
  const std::string own = std::to_string(::getpid());
};

}  // namespace

TEST_SUITE("base.worker_groups") {
  TEST_CASE("a server that is alone in its group leaves it, and limits its workers") {
    const FakeGroups fake;
    CHECK(group_state(fake.places) == GroupState::kOwn);
    CHECK_FALSE(fs::exists(fake.group / "warpsmith.server"));
    CHECK(prepare_groups(fake.places) == GroupState::kOwn);
    CHECK(FakeGroups::text(fake.group / "warpsmith.server/cgroup.procs") == fake.own);
    CHECK(FakeGroups::text(fake.group / "cgroup.subtree_control") == "+memory +pids");
    CHECK(FakeGroups::text(fake.group / "warpsmith.workers/memory.max") == "14000");
    CHECK(FakeGroups::text(fake.group / "warpsmith.workers/cgroup.subtree_control") ==
          "+memory +pids");
    fake.be_in("/system.slice/warpsmith.service/warpsmith.server");
    CHECK(group_state(fake.places) == GroupState::kOwn);
    CHECK(prepare_groups(fake.places) == GroupState::kOwn);
    CHECK_FALSE(fs::exists(fake.group / "warpsmith.server/warpsmith.server"));
  }

  TEST_CASE("a worker goes to a group of its own, and takes those of ended ones away") {
    const FakeGroups fake;
    REQUIRE(write_file(fake.group / "memory.max", "8000\n"));
    REQUIRE(prepare_groups(fake.places) == GroupState::kOwn);
    CHECK(FakeGroups::text(fake.group / "warpsmith.workers/memory.max") == "7000");
    fake.be_in("/system.slice/warpsmith.service/warpsmith.server");
    const fs::path workers = fake.group / "warpsmith.workers";
    REQUIRE(fs::create_directory(workers / "1"));  // Empty: its worker has ended.
    REQUIRE(fs::create_directory(workers / "2"));
    REQUIRE(write_file(workers / "2/cgroup.procs", "2\n"));
    join_worker_group(fake.places);
    CHECK_FALSE(fs::exists(workers / "1"));
    CHECK(fs::exists(workers / "2"));
    CHECK(FakeGroups::text(workers / fake.own / "cgroup.procs") == fake.own);
    CHECK(FakeGroups::text(workers / fake.own / "memory.max") == "4000");
    CHECK(FakeGroups::text(workers / fake.own / "pids.max") == "1024");
  }

  TEST_CASE("where the group is not the server's own nothing changes, and the words say why") {
    const FakeGroups fake;
    REQUIRE(write_file(fake.group / "cgroup.procs", "1\n" + fake.own + "\n"));
    CHECK(prepare_groups(fake.places) == GroupState::kShared);
    CHECK_FALSE(fs::exists(fake.group / "warpsmith.server"));
    CHECK(text_of(GroupState::kShared) ==
          "workers share the server's limits: other processes are in its control group");
    fake.be_in("/nowhere");
    CHECK(prepare_groups(fake.places) == GroupState::kNotOurs);
    CHECK(text_of(GroupState::kNotOurs) ==
          "workers share the server's limits: its control group cannot be written");
    REQUIRE(write_file(fake.places.membership, "1:cpu:/\n"));
    CHECK(prepare_groups(fake.places) == GroupState::kNoGroup);
    CHECK(text_of(GroupState::kNoGroup) ==
          "workers share the server's limits: there is no cgroup v2 here");
    join_worker_group(fake.places);  // It stays where it is.
    CHECK(text_of(GroupState::kOwn) == "workers are in control groups of their own");
  }

  TEST_CASE("where the system gives no controllers the server goes back") {
    const FakeGroups fake;
    REQUIRE(fs::remove(fake.group / "cgroup.subtree_control"));
    REQUIRE(fs::create_directory(fake.group / "cgroup.subtree_control"));
    CHECK(prepare_groups(fake.places) == GroupState::kRefused);
    CHECK(FakeGroups::text(fake.group / "cgroup.procs").starts_with(fake.own));
    CHECK_FALSE(fs::exists(fake.group / "warpsmith.workers"));
    CHECK(text_of(GroupState::kRefused) ==
          "workers share the server's limits: its control group has no controllers to give");
  }
}

}  // namespace ws
