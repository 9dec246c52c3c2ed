// A writing process is killed a hundred times; what it had acknowledged must be there.
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/hash.h"
#include "runtime/base/viewer.h"

namespace ws {
namespace {

constexpr int kRounds = 100;
constexpr std::size_t kIdLength = 16;
constexpr int kFirstMs = 10'000;

std::string problem_json(const std::string& id) {
  return "{\"" + id + "\":\"" + std::string(20000, id.front()) + "\"}";  // Several pages long.
}

/// Writes a problem, a kernel and evidence of a principal, then its id into the pipe; until it is
/// killed.
[[noreturn]] void write_until_killed(const std::filesystem::path& folder, int out) {
  auto archive = Archive::open(folder);
  const ViewerScope ann(
      std::make_shared<const Viewer>(Viewer{.owner = "ann", .sees_all = false, .shares = false}));
  while (archive) {
    const std::string id = random_hex(kIdLength);
    EvidenceRow evidence;
    evidence.id = "evd_" + id;
    evidence.kernel_id = "krn_" + id;
    evidence.json = problem_json(id);
    const bool stored =
        (*archive)->put_problem({"prb_" + id, "p", problem_json(id), ""}).has_value() &&
        (*archive)->put_kernel({"krn_" + id, "k", "prb_" + id, "", "{}", ""}).has_value() &&
        (*archive)->add_evidence(evidence).has_value() &&
        (*archive)->put_job({"job_" + id, "t", "done", id, "", 0}).has_value();
    if (!stored || ::write(out, id.data(), id.size()) != static_cast<ssize_t>(id.size())) {
      break;
    }
  }
  ::_exit(1);
}

/// Starts a writer, kills it after a while, and returns the ids that it acknowledged.
std::vector<std::string> killed_writer(const std::filesystem::path& folder, int round) {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(folder, ends[1]);
  }
  ::close(ends[1]);
  if (round % 2 == 1) {  // Else it may be killed before it has opened the file.
    pollfd first = {ends[0], POLLIN, 0};
    REQUIRE(::poll(&first, 1, kFirstMs) == 1);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(500 + round * 397 % 30000));
  ::kill(child, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  std::vector<std::string> ids;
  std::string id(kIdLength, '\0');
  while (::read(ends[0], id.data(), id.size()) == static_cast<ssize_t>(kIdLength)) {
    ids.push_back(id);
  }
  ::close(ends[0]);
  return ids;
}

std::string single_text(Connection& connection, const char* sql) {
  auto statement = connection.prepare(sql);
  REQUIRE(statement.has_value());
  REQUIRE(statement->step() == true);
  return statement->text(0);
}

}  // namespace

TEST_SUITE("archive.kill") {
  TEST_CASE("a hundred kill -9 lose no acknowledged row and leave no half-written one") {
    const TestFolder folder;
    std::vector<std::string> acknowledged;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<std::string> ids = killed_writer(folder.path(), round);
      acknowledged.insert(acknowledged.end(), ids.begin(), ids.end());
      auto archive = Archive::open(folder.path());
      REQUIRE(archive.has_value());
      for (const std::string& id : ids) {
        CHECK((*archive)->problem("prb_" + id)->json == problem_json(id));
      }
    }
    REQUIRE(acknowledged.size() > kRounds);  // The test did write.
    auto archive = Archive::open(folder.path());
    for (const std::string& id : acknowledged) {
      REQUIRE((*archive)->kernel("krn_" + id).has_value());
      REQUIRE((*archive)->evidence("evd_" + id)->json == problem_json(id));
      REQUIRE((*archive)->job("job_" + id)->json == id);
    }
    auto connection = Connection::open((folder.path() / "archive.db").string(), true);
    CHECK(single_text(*connection, "PRAGMA integrity_check") == "ok");
    CHECK(single_text(*connection, "SELECT count(*) FROM pragma_foreign_key_check") == "0");
    CHECK(single_text(*connection,
                      "SELECT count(*) FROM problems WHERE length(json) != 20000 + 23") == "0");
    const std::string rows =
        "WITH stored(id) AS (SELECT id FROM problems UNION ALL SELECT id FROM kernels UNION ALL "
        "SELECT id FROM evidence UNION ALL SELECT id FROM jobs) ";
    const std::string ownerless = rows +
                                  "SELECT count(*) FROM stored WHERE id NOT IN "
                                  "(SELECT id FROM owners)";
    const std::string gone = rows +
                             "SELECT count(*) FROM owners WHERE id NOT IN "
                             "(SELECT id FROM stored)";
    CHECK(single_text(*connection, ownerless.c_str()) == "0");
    CHECK(single_text(*connection, gone.c_str()) == "0");
  }
}

}  // namespace ws
